/** The settings of a Messages request: limits and form of the answer, sampling, service tier, end user. */
import type { ConversationRequest, Output, OutputFormat, Sampling } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, leavesOut, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import type { Json } from '../frame.ts'
import { schemaSubset } from '../schema-subset.ts'
import type { RequestContext } from './request-write-context.ts'

/** Assumed if a model's largest output is unknown; holds assume the same. */
const assumedOutput = 16_384

/** `max_tokens`, which this dialect requires: the caller's limit, at most the model's. */
export function writeLimit({ request, target, losses }: RequestContext): number {
  const known = target.capabilities.maxOutputTokens
  const most = typeof known === 'number' && known >= 1 ? known : undefined
  const asked = request.output.maxTokens
  if (asked === undefined) return most ?? assumedOutput
  if (most === undefined || asked <= most) return Math.max(1, asked)
  losses.adapted('output.maxTokens', 'The limit was lowered to the largest output of this model.')
  return most
}

type SchemaFormat = Extract<OutputFormat, { kind: 'schema' }>

const formatWriters: FieldWriters<SchemaFormat, RequestContext> = {
  kind: () => ({ type: 'json_schema' }),
  name: leavesOut('output.format.name', 'This upstream takes a schema without a name.'),
  description: leavesOut('output.format.name', 'This upstream takes a schema without a name.'),
  schema(schema, { request, losses }) {
    if (request.dialect === 'messages') return { schema }
    const subset = schemaSubset(schema)
    if (subset.lossy) losses.adapted('output.format.schema', 'Some constraints of the schema are only described.')
    return { schema: subset.schema }
  },
  // This vendor always enforces a schema.
  strict: notNeeded,
}

/** `output_config.format`; undefined for text, and for JSON mode, which the system prompt asks for instead. */
export function writeFormat(writing: RequestContext): Json | undefined {
  const { format } = writing.request.output
  return format.kind === 'schema' ? writeFields(format, formatWriters, writing) : undefined
}

const outputWriters: FieldWriters<Output, RequestContext> = {
  n(n, { request }) {
    if (n > 1) throw cannotCarry(request, 'output.n', 'This upstream gives one answer at a time.')
  },
  logprobs(_, { request }) {
    throw cannotCarry(request, 'output.logprobs', 'This upstream returns no log probabilities.')
  },
  modalities(modalities, { request }) {
    if (modalities.length > 0) throw cannotCarry(request, 'output.modalities', 'This upstream answers in text only.')
  },
  // Required on the wire even where the caller sets none: writeLimit.
  maxTokens: writtenElsewhere,
  // Shares `output_config` with the effort: writeFormat.
  format: writtenElsewhere,
  stop(stop, { losses }) {
    // The vendor refuses sequences of nothing but white space.
    const kept = stop.filter((sequence) => sequence.trim() !== '')
    if (kept.length < stop.length) losses.dropped('output.stop', 'A stop sequence of white space is not possible here.')
    return kept.length > 0 ? { stop_sequences: kept } : undefined
  },
  verbosity: leavesOut('output.verbosity', 'This upstream has no levels of verbosity.'),
}

/** `stop_sequences`. Throws GatewayError `unsupported_value` for answers that this dialect cannot express. */
export const writeOutput = (writing: RequestContext): Json => writeFields(writing.request.output, outputWriters, writing)

interface SamplingContext extends RequestContext {
  /** The model will think, which rules out most sampling fields. */
  thinks: boolean
}

/** A sampling field as the model takes it; undefined if it takes none, recorded unless the value is the usual one. */
function sampled(name: 'temperature' | 'topP' | 'topK', value: number, { target, losses, thinks, request }: SamplingContext) {
  const { samplingRefused, topPWithTemperatureRefused } = target.capabilities
  const field = `sampling.${name}`
  const isUsual = value === 1 && name !== 'topK'
  if (samplingRefused === true) {
    if (!isUsual) losses.dropped(field, 'This model takes no sampling fields.')
    return undefined
  }
  if (thinks) {
    if (name === 'topP' && value >= 0.95) return value
    if (!isUsual) losses.leftOut(field, 'A model that reasons does not accept this sampling parameter.')
    return undefined
  }
  if (name === 'topP' && request.sampling.temperature !== undefined && topPWithTemperatureRefused === true) {
    if (!isUsual) losses.dropped(field, 'This model takes temperature or top_p, not both.')
    return undefined
  }
  return value
}

/** Values are never rescaled, only kept within their limits. */
const samplingWriters: FieldWriters<Sampling, SamplingContext> = {
  frequencyPenalty(value, { losses }) {
    if (value !== 0) losses.dropped('sampling.frequencyPenalty', 'This upstream has no penalties.')
  },
  presencePenalty(value, { losses }) {
    if (value !== 0) losses.dropped('sampling.presencePenalty', 'This upstream has no penalties.')
  },
  seed(_, { losses }) {
    losses.dropped('sampling.seed', 'This upstream takes no seed.')
  },
  logitBias(bias, { request }) {
    if (Object.keys(bias).length > 0) throw cannotCarry(request, 'sampling.logitBias', 'Token ids mean nothing to another model.')
  },
  temperature(value, context) {
    const asked = sampled('temperature', value, context)
    if (asked === undefined) return undefined
    const temperature = Math.min(1, Math.max(0, asked))
    if (temperature !== asked) context.losses.altered('sampling.temperature', 'The value was clamped to its limits.')
    return { temperature }
  },
  topP(value, context) {
    const top_p = sampled('topP', value, context)
    return top_p === undefined ? undefined : { top_p }
  },
  topK(value, context) {
    const asked = sampled('topK', value, context)
    if (asked === undefined) return undefined
    const top_k = Math.max(1, Math.round(asked))
    if (top_k !== asked) context.losses.adapted('sampling.topK', 'The upstream takes whole numbers from 1.')
    return { top_k }
  },
}

/** Sampling fields, as far as the model takes them. Throws GatewayError `unsupported_value` for a logit bias. */
export const writeSampling = (writing: RequestContext, thinks: boolean): Json =>
  writeFields(writing.request.sampling, samplingWriters, { ...writing, thinks })

/** `service_tier`, or `speed` for the tier that only this dialect has. */
export function writeTier(tier: NonNullable<ConversationRequest['tier']>, { request, losses }: RequestContext): Json | undefined {
  switch (tier) {
    case 'default':
      return { service_tier: 'standard_only' }
    case 'priority':
      losses.adapted('tier', 'This upstream decides by itself whether an account has priority.')
      return { service_tier: 'auto' }
    case 'auto':
      return { service_tier: 'auto' }
    case 'fast':
      if (request.dialect === 'messages') return { speed: 'fast' }
      break
    case 'flex':
      break
  }
  losses.leftOut('tier', 'This upstream has no such tier.')
  return undefined
}

/** The end user, and the labels of the request. */
export const identityWriters: FieldWriters<ConversationRequest['identity'], RequestContext> = {
  endUser: (user_id) => ({ metadata: { user_id } }),
  metadata(labels, { losses }) {
    if (Object.keys(labels).length > 0) losses.leftOut('identity.metadata', 'This upstream has no labels.')
  },
}

/** The caller's cache settings besides breakpoints. */
export const cacheWriters: FieldWriters<ConversationRequest['cache'], RequestContext> = {
  key: leavesOut('cache.key', 'This upstream finds its cache by the prompt itself.'),
}
