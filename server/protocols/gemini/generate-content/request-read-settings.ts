/** `generationConfig` and the other settings of a request, as far as they have a canonical place; the rest keeps its name. */
import type { ConversationRequest, Effort, Output, ReasoningWish, Sampling } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import {
  type Body,
  camel,
  flagAt,
  integerAt,
  type Node,
  numberAt,
  objectAt,
  pathOf,
  pick,
  pickText,
  textAt,
  textsAt,
  wrong,
} from '../proto-json.ts'
import { readSchema } from '../schema.ts'

const int32 = 2 ** 31 - 1

export interface Settings {
  output: Output
  sampling: Sampling
  reasoning: ReasoningWish
  /** Fields of `generationConfig` that only this dialect knows, by their full name. */
  extensions: Body
  paths: Record<string, string>
}

export function readSettings(root: Node): Settings {
  const node = objectAt(root, 'generationConfig') ?? { body: {}, path: 'generationConfig' }
  const extensions = leftOver(node)
  return {
    output: readOutput(node, extensions),
    sampling: readSampling(node),
    reasoning: readReasoning(node),
    extensions,
    paths: Object.fromEntries(Object.entries(places).map(([field, name]) => [field, pathOf(node, name)])),
  }
}

/** Canonical fields, and where they stand in `generationConfig`. */
const places = {
  'output.stop': 'stopSequences',
  'output.n': 'candidateCount',
  'output.maxTokens': 'maxOutputTokens',
  'output.modalities': 'responseModalities',
  'output.logprobs': 'responseLogprobs',
  'output.format': 'responseMimeType',
  'sampling.temperature': 'temperature',
  'sampling.topP': 'topP',
  'sampling.topK': 'topK',
  reasoning: 'thinkingConfig',
}

const known = new Set([
  ...Object.values(places),
  'logprobs',
  'responseSchema',
  'responseJsonSchema',
  '_responseJsonSchema',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
])

function leftOver({ body }: Node): Body {
  const rest = Object.entries(body).filter(([name, value]) => value !== null && !known.has(camel(name)))
  return Object.fromEntries(rest.map(([name, value]) => [`generationConfig.${camel(name)}`, value]))
}

function readOutput(node: Node, extensions: Body): Output {
  const maxTokens = integerAt(node, 'maxOutputTokens', 1)
  const logprobs = flagAt(node, 'responseLogprobs') === true ? (integerAt(node, 'logprobs', 0, 20) ?? 0) : undefined
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    format: readFormat(node, extensions),
    modalities: readModalities(node, extensions),
    stop: textsAt(node, 'stopSequences').filter((sequence) => sequence !== ''),
    n: integerAt(node, 'candidateCount', 1, 8) ?? 1,
    ...(logprobs !== undefined && { logprobs }),
  }
}

function readFormat(node: Node, extensions: Body): Output['format'] {
  const mimeType = textAt(node, 'responseMimeType') ?? 'text/plain'
  const older = objectAt(node, 'responseSchema')
  const full = pick(node.body, 'responseJsonSchema') ?? pick(node.body, '_responseJsonSchema')
  if (full !== undefined && !isObject(full)) throw wrong(pathOf(node, 'responseJsonSchema'), 'an object')
  const schema = full ?? (older && readSchema(older.body))
  if (mimeType === 'application/json') return schema ? { kind: 'schema', schema } : { kind: 'json' }
  // One word of a list, as bare text: nobody else answers so.
  if (mimeType !== 'text/plain') {
    extensions['generationConfig.responseMimeType'] = mimeType
    if (older) extensions['generationConfig.responseSchema'] = older.body
  }
  return { kind: 'text' }
}

function readModalities(node: Node, extensions: Body): Output['modalities'] {
  const asked = textsAt(node, 'responseModalities').map((word) => word.toUpperCase())
  // An answer without text is something only this dialect can ask for.
  if (asked.length > 0 && !asked.includes('TEXT')) extensions['generationConfig.responseModalities'] = asked
  return [...(asked.includes('AUDIO') ? (['audio'] as const) : []), ...(asked.includes('IMAGE') ? (['image'] as const) : [])]
}

function readSampling(node: Node): Sampling {
  const given = {
    temperature: numberAt(node, 'temperature', 0, 2),
    topP: numberAt(node, 'topP', 0, 1),
    topK: numberAt(node, 'topK', 0, 1e6),
    frequencyPenalty: numberAt(node, 'frequencyPenalty', -2, 2),
    presencePenalty: numberAt(node, 'presencePenalty', -2, 2),
    seed: integerAt(node, 'seed', -int32 - 1, int32),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

const efforts: Readonly<Record<string, Effort>> = { MINIMAL: 'minimal', LOW: 'low', MEDIUM: 'medium', HIGH: 'high' }

function readReasoning(config: Node): ReasoningWish {
  const node = objectAt(config, 'thinkingConfig')
  if (!node) return { visible: 'none' }
  const budget = integerAt(node, 'thinkingBudget', -1)
  const effort = efforts[(textAt(node, 'thinkingLevel') ?? '').toUpperCase()]
  return {
    ...(effort !== undefined && { effort }),
    ...(budget !== undefined && { budget }),
    visible: flagAt(node, 'includeThoughts') === true ? 'summary' : 'none',
  }
}

const tiers: Readonly<Record<string, NonNullable<ConversationRequest['tier']>>> = {
  standard: 'default',
  flex: 'flex',
  priority: 'priority',
}

/** `unspecified` and words that are not known ask for nothing. */
export function readTier({ body }: Node): ConversationRequest['tier'] {
  const word = (pickText(body, 'serviceTier') ?? '').toLowerCase().replace(/^service_tier_/, '')
  return Object.hasOwn(tiers, word) ? tiers[word] : undefined
}
