/** `generationConfig` and `serviceTier` from what the conversation asks for. */
import type { Effort } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import type { Body } from '../proto-json.ts'
import { inlined, olderSchema } from '../schema.ts'
import { ownFields, type Writing } from './writing.ts'

export function writeSettings(writing: Writing): Body {
  const config = {
    ...writeOutput(writing),
    ...writeFormat(writing),
    ...writeModalities(writing),
    ...writeSampling(writing),
    ...writeThinking(writing),
    ...ownFields(writing, 'generationConfig.'),
  }
  return { ...(Object.keys(config).length > 0 && { generationConfig: config }), ...writeTier(writing) }
}

function writeOutput({ request, target, losses }: Writing): Body {
  const { maxTokens, stop, n, logprobs, verbosity } = request.output
  const most = target.capabilities.maxOutputTokens
  const isOver = maxTokens !== undefined && most !== undefined && maxTokens > most
  if (stop.length > 5) throw cannotCarry(request, 'output.stop', 'The upstream takes at most five stop sequences.')
  if (n > 8) throw cannotCarry(request, 'output.n', 'The upstream gives at most eight answers.')
  if (logprobs !== undefined && logprobs > 20) throw cannotCarry(request, 'output.logprobs', 'The upstream gives at most 20 alternatives.')
  if (verbosity !== undefined) losses.forgotten('output.verbosity', 'The upstream has no such hint.')
  if (isOver) losses.adapted('output.maxTokens', 'The model cannot give more than its own limit.')
  return {
    ...(maxTokens !== undefined && { maxOutputTokens: isOver ? most : maxTokens }),
    ...(stop.length > 0 && { stopSequences: stop }),
    ...(n > 1 && { candidateCount: n }),
    ...(logprobs !== undefined && { responseLogprobs: true, ...(logprobs > 0 && { logprobs }) }),
  }
}

function writeFormat({ request, target, losses }: Writing): Body {
  const { format } = request.output
  if (format.kind === 'text') return {}
  const responseMimeType = 'application/json'
  if (format.kind === 'json') return { responseMimeType }
  if (format.name !== undefined || format.description !== undefined) {
    losses.forgotten('output.format.name', 'The upstream takes a schema without a name.')
  }
  const schema = inlined(format.schema)
  if (!schema) throw cannotCarry(request, 'output.format', 'The upstream takes no schema that refers to itself.')
  if (target.capabilities.olderSchema !== true) return { responseMimeType, responseJsonSchema: schema }
  const stripped = () => losses.adapted('output.format.schema', 'The model takes only part of JSON Schema.')
  return { responseMimeType, responseSchema: olderSchema(schema, stripped) }
}

/** Models that speak answer with sound only; models that draw say something with it. */
function writeModalities({ request: { output } }: Writing): Body {
  if (output.modalities.length === 0) return {}
  const words = output.modalities.map((word) => word.toUpperCase())
  return { responseModalities: words.includes('AUDIO') ? words : ['TEXT', ...words] }
}

function writeSampling({ request, target, losses }: Writing): Body {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed, logitBias } = request.sampling
  if (logitBias !== undefined)
    throw cannotCarry(request, 'sampling.logitBias', 'Ids of tokens mean something only to the model they were made for.')
  const penalty = (field: string, value: number | undefined) => {
    if (value !== 2) return value
    losses.adapted(field, 'The upstream takes penalties below 2.')
    return 1.99
  }
  const fields: Record<string, [field: string, value: number | undefined]> = {
    temperature: ['sampling.temperature', temperature],
    topP: ['sampling.topP', topP],
    topK: ['sampling.topK', topK],
    frequencyPenalty: ['sampling.frequencyPenalty', penalty('sampling.frequencyPenalty', frequencyPenalty)],
    presencePenalty: ['sampling.presencePenalty', penalty('sampling.presencePenalty', presencePenalty)],
  }
  const clash = target.capabilities.topPWithTemperatureRefused === true && temperature !== undefined
  const config: Body = {}
  for (const [name, [field, value]] of Object.entries(fields)) {
    if (value === undefined) continue
    if (target.capabilities.samplingRefused === true) losses.dropped(field, 'This model takes no sampling parameters.')
    else if (clash && name === 'topP') losses.dropped(field, 'This model takes a temperature or topP, not both.')
    else config[name] = value
  }
  if (seed !== undefined && seed === (seed | 0)) config.seed = seed
  else if (seed !== undefined) losses.forgotten('sampling.seed', 'The upstream takes seeds of 32 bits.')
  return config
}

const levels: Readonly<Record<Exclude<Effort, 'none'>, string>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}

const budgets: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 4096,
  high: 16384,
  xhigh: 32768,
  max: 32768,
}

function writeThinking(writing: Writing): Body {
  const { visible } = writing.request.reasoning
  const thinkingConfig = {
    ...writeEffort(writing),
    ...((visible === 'summary' || visible === 'full') && { includeThoughts: true }),
  }
  return Object.keys(thinkingConfig).length > 0 ? { thinkingConfig } : {}
}

/** A budget says more than an effort, so it goes first; never both, which the upstream refuses. */
function writeEffort(writing: Writing): Body {
  const { request, target, losses } = writing
  const { effort, budget, adaptive } = request.reasoning
  const { thinkingAlwaysOn, budgetOnly, minimalRefused } = target.capabilities
  if (budget === 0 || (budget === undefined && effort === 'none')) {
    if (thinkingAlwaysOn !== true) return { thinkingBudget: 0 }
    losses.altered('reasoning', 'This model cannot stop thinking; it thinks as little as it can.')
    if (budgetOnly === true) return { thinkingBudget: 128 }
    return { thinkingLevel: minimalRefused === true ? 'LOW' : 'MINIMAL' }
  }
  if (budget !== undefined) return { thinkingBudget: atMost(budget, writing) }
  if (effort === undefined || effort === 'none') return adaptive === true && budgetOnly === true ? { thinkingBudget: -1 } : {}
  if (budgetOnly === true) {
    losses.adapted('reasoning.effort', 'This model takes a budget instead of an effort.')
    return { thinkingBudget: atMost(budgets[effort], writing) }
  }
  if (effort === 'minimal' && minimalRefused === true) {
    losses.adapted('reasoning.effort', 'The model has no effort below low.')
    return { thinkingLevel: 'LOW' }
  }
  if (effort === 'xhigh' || effort === 'max') losses.adapted('reasoning.effort', 'The upstream has no effort above high.')
  return { thinkingLevel: levels[effort] }
}

/** The model refuses a budget above its own. */
function atMost(budget: number, { target, losses }: Writing): number {
  const most = target.capabilities.maxThinkingBudget
  if (most === undefined || budget <= most) return budget
  losses.adapted('reasoning.budget', 'The model thinks at most as long as it can.')
  return most
}

function writeTier({ request: { tier }, losses }: Writing): Body {
  if (tier === undefined || tier === 'auto') return {}
  if (tier === 'fast') losses.forgotten('tier', 'The upstream has no such tier.')
  return tier === 'fast' ? {} : { serviceTier: tier === 'default' ? 'standard' : tier }
}
