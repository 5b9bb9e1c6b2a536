/** Writes `generationConfig` and `serviceTier`. */
import type { ConversationRequest, Effort, Output, OutputFormat, ReasoningSettings, Sampling } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, leavesOut, notNeeded, writeFields } from '#protocols/codec/field-writers'
import type { Body } from '../proto-json.ts'
import { inlined, olderSchema } from '../schema.ts'
import { ownFields, type RequestContext } from './request-write-context.ts'

/** `generationConfig`; undefined when empty. Throws GatewayError `unsupported_value`. */
export function writeConfig(writing: RequestContext): Body | undefined {
  const { output, sampling, reasoning } = writing.request
  const thinkingConfig = writeFields(reasoning, reasoningWriters, writing)
  const config = {
    ...writeFields(output, outputWriters, writing),
    ...writeFields(sampling, samplingWriters, writing),
    ...(Object.keys(thinkingConfig).length > 0 && { thinkingConfig }),
    ...ownFields(writing, 'generationConfig.'),
  }
  return Object.keys(config).length > 0 ? config : undefined
}

/** Stop sequences that the upstream takes; the answer is cut at others here. */
export const mostStops = 5

const outputWriters: FieldWriters<Output, RequestContext> = {
  stop(stopSequences) {
    return stopSequences.length > 0 ? { stopSequences: stopSequences.slice(0, mostStops) } : undefined
  },
  n(n, { request }) {
    if (n > 8) throw cannotCarry(request, 'output.n', 'The upstream gives at most eight answers.')
    return n > 1 ? { candidateCount: n } : undefined
  },
  logprobs(logprobs, { request }) {
    if (logprobs > 20) throw cannotCarry(request, 'output.logprobs', 'The upstream gives at most 20 alternatives.')
    return { responseLogprobs: true, ...(logprobs > 0 && { logprobs }) }
  },
  verbosity: leavesOut('output.verbosity', 'The upstream has no such hint.'),
  maxTokens(maxTokens, { target, losses }) {
    const most = target.capabilities.maxOutputTokens
    if (most === undefined || maxTokens <= most) return { maxOutputTokens: maxTokens }
    losses.adapted('output.maxTokens', 'The model cannot give more than its own limit.')
    return { maxOutputTokens: most }
  },
  format: (format, writing) => formats[format.kind](format, writing),
  modalities(modalities) {
    if (modalities.length === 0) return undefined
    const words = modalities.map((word) => word.toUpperCase())
    // Speech models only return audio; image models also return text.
    return { responseModalities: words.includes('AUDIO') ? words : ['TEXT', ...words] }
  },
}

type SchemaFormat = Extract<OutputFormat, { kind: 'schema' }>

const json = { responseMimeType: 'application/json' }

const formats: Readonly<Record<OutputFormat['kind'], (format: OutputFormat, writing: RequestContext) => Body>> = {
  text: () => ({}),
  json: () => json,
  schema: (format, writing) => writeFields(format as SchemaFormat, formatWriters, writing),
}

const formatWriters: FieldWriters<SchemaFormat, RequestContext> = {
  kind: () => json,
  name: leavesOut('output.format.name', 'The upstream takes a schema without a name.'),
  description: leavesOut('output.format.name', 'The upstream takes a schema without a name.'),
  // This upstream always enforces a schema.
  strict: notNeeded,
  schema(asked, { request, target, losses }) {
    const schema = inlined(asked)
    if (!schema) throw cannotCarry(request, 'output.format', 'The upstream takes no schema that refers to itself.')
    if (target.capabilities.olderSchema !== true) return { responseJsonSchema: schema }
    const stripped = () => losses.adapted('output.format.schema', 'The model takes only part of JSON Schema.')
    return { responseSchema: olderSchema(schema, stripped) }
  },
}

/** The field under its wire name, unless the model takes no sampling fields. */
function sampled(name: keyof Sampling, value: number, { target, losses }: RequestContext): Body | undefined {
  if (target.capabilities.samplingRefused !== true) return { [name]: value }
  losses.dropped(`sampling.${name}`, 'This model takes no sampling parameters.')
  return undefined
}

/** Penalties are below 2 here. */
function penalty(name: 'frequencyPenalty' | 'presencePenalty', value: number, writing: RequestContext): Body | undefined {
  if (value !== 2) return sampled(name, value, writing)
  writing.losses.adapted(`sampling.${name}`, 'The upstream takes penalties below 2.')
  return sampled(name, 1.99, writing)
}

const samplingWriters: FieldWriters<Sampling, RequestContext> = {
  logitBias(_, { request }) {
    throw cannotCarry(request, 'sampling.logitBias', 'Ids of tokens mean something only to the model they were made for.')
  },
  temperature: (value, writing) => sampled('temperature', value, writing),
  topP(value, writing, { temperature }) {
    const { samplingRefused, topPWithTemperatureRefused } = writing.target.capabilities
    const isRefused = samplingRefused !== true && topPWithTemperatureRefused === true && temperature !== undefined
    if (!isRefused) return sampled('topP', value, writing)
    writing.losses.dropped('sampling.topP', 'This model takes a temperature or topP, not both.')
    return undefined
  },
  topK: (value, writing) => sampled('topK', value, writing),
  frequencyPenalty: (value, writing) => penalty('frequencyPenalty', value, writing),
  presencePenalty: (value, writing) => penalty('presencePenalty', value, writing),
  seed(seed, { losses }) {
    if (seed === (seed | 0)) return { seed }
    losses.dropped('sampling.seed', 'The upstream takes seeds of 32 bits.')
    return undefined
  },
}

const levels: Readonly<Record<Exclude<Effort, 'none'>, string>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}

/** Tokens for models that take a budget and no level. */
const budgets: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 4096,
  high: 16384,
  xhigh: 32768,
  max: 32768,
}

/** The fields of `thinkingConfig`. A budget is more precise than an effort, so it takes precedence; the upstream refuses both together. */
const reasoningWriters: FieldWriters<ReasoningSettings, RequestContext> = {
  effort: (effort, writing, { budget }) => (budget === undefined ? writeEffort(effort, writing) : undefined),
  budget: (budget, writing) => (budget === 0 ? thinkingOff(writing) : { thinkingBudget: atMost(budget, writing) }),
  adaptive(adaptive, { target }, { effort, budget }) {
    const isAlone = budget === undefined && effort === undefined
    return adaptive && isAlone && target.capabilities.budgetOnly === true ? { thinkingBudget: -1 } : undefined
  },
  visible: (visible) => (visible === 'none' ? undefined : { includeThoughts: true }),
}

function thinkingOff({ target, losses }: RequestContext): Body {
  const { thinkingAlwaysOn, budgetOnly, minimalRefused } = target.capabilities
  if (thinkingAlwaysOn !== true) return { thinkingBudget: 0 }
  losses.altered('reasoning', 'This model always reasons; it does so as little as it can.')
  if (budgetOnly === true) return { thinkingBudget: 128 }
  return { thinkingLevel: minimalRefused === true ? 'LOW' : 'MINIMAL' }
}

function writeEffort(effort: Effort, writing: RequestContext): Body {
  const { target, losses } = writing
  const { budgetOnly, minimalRefused } = target.capabilities
  if (effort === 'none') return thinkingOff(writing)
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
function atMost(budget: number, { target, losses }: RequestContext): number {
  const most = target.capabilities.maxThinkingBudget
  if (most === undefined || budget <= most) return budget
  losses.adapted('reasoning.budget', 'The budget was lowered to the largest of this model.')
  return most
}

/** `serviceTier`; `auto` is the default. */
export function writeTier(tier: NonNullable<ConversationRequest['tier']>, { losses }: RequestContext): Body | undefined {
  if (tier === 'auto') return undefined
  if (tier !== 'fast') return { serviceTier: tier === 'default' ? 'standard' : tier }
  losses.leftOut('tier', 'The upstream has no such tier.')
  return undefined
}

/** The end user, and the labels of the request. */
export const identityWriters: FieldWriters<ConversationRequest['identity'], RequestContext> = {
  endUser: leavesOut('identity.endUser', 'The upstream takes no end user.'),
  metadata: leavesOut('identity.metadata', 'The upstream takes no metadata.'),
}

/** The caller's cache settings besides breakpoints. */
export const cacheWriters: FieldWriters<ConversationRequest['cache'], RequestContext> = {
  key: leavesOut('cache.key', 'The upstream finds its cache by the prompt itself.'),
}
