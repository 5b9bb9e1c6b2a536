/**
 * A conversation as a request for an upstream that speaks Messages, in the version that still takes sampling fields. What the
 * dialect cannot say is refused or recorded, row by row as the mapping tables have it.
 */
import type { Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { recordForeign } from '#canonical/extensions'
import { cannotCarry } from '#canonical/refusal'
import type { Json } from './frame.ts'
import { writeSampling } from './sampling-write.ts'
import { schemaSubset } from './schema-subset.ts'
import { writeThinking } from './thinking-write.ts'
import { isForcing, writeChoice, writeTools } from './tools-write.ts'
import { lostThinking, writeTurns } from './turns-write.ts'
import { type Writing, writing } from './writing.ts'

/** The older of the vendor's two versions: the newer one refuses sampling fields that other dialects’ clients send. */
const version = '2023-06-01'
/** Where nobody knows a model's largest output; what a hold assumes as well. */
const assumedOutput = 16_384

/** Throws GatewayError `unsupported_value`: not this candidate. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  refuseUnsayable(request)
  const at = writing(request, target)
  recordForeign(request, 'messages', at.losses)
  const tools = writeTools(at)
  const { choice, instruction } = writeChoice(at, tools)
  const system = writeSystem(at, instruction)
  const messages = writeTurns(request.turns, at)
  const max_tokens = writeLimit(at)
  const { thinking, effort, isOn } = writeThinking(at, {
    maxTokens: max_tokens,
    forcing: isForcing(at, tools),
    lost: lostThinking(messages),
    begun: messages.at(-1)?.role === 'assistant',
  })
  const format = writeFormat(at)
  const stop_sequences = writeStop(at)
  const body: Json = {
    ...ownFields(request),
    model: target.model,
    max_tokens,
    ...(system !== undefined && { system }),
    messages: messages.map(({ role, content }) => ({ role, content: plain(content) })),
    ...(tools.length > 0 && { tools }),
    ...(choice && { tool_choice: choice }),
    ...(thinking && { thinking }),
    ...((effort || format) && { output_config: { ...(effort && { effort }), ...(format && { format }) } }),
    ...(stop_sequences.length > 0 && { stop_sequences }),
    ...writeSampling(at, isOn),
    ...writeTier(at),
    ...writeIdentity(at),
    stream: target.stream,
  }
  const wrappedTools = request.tools.filter((tool) => tool.kind === 'custom').map(({ name }) => name)
  return { body, headers: { 'anthropic-version': version }, losses: at.losses.losses, memo: { ...at.names.memo(), wrappedTools } }
}

function refuseUnsayable(request: ConversationRequest): void {
  const { output, sampling } = request
  const refuse = (field: string, reason: string) => cannotCarry(request, field, reason)
  if (output.n > 1) throw refuse('output.n', 'This upstream gives one answer at a time.')
  if (output.logprobs !== undefined) throw refuse('output.logprobs', 'This upstream tells no log probabilities.')
  if (output.modalities.length > 0) throw refuse('output.modalities', 'This upstream answers in text only.')
  if (Object.keys(sampling.logitBias ?? {}).length > 0) throw refuse('sampling.logitBias', 'Token ids mean nothing to another model.')
}

/** Fields that came from this dialect and have no other place. Dotted names are only notes. */
function ownFields(request: ConversationRequest): Json {
  return Object.fromEntries(Object.entries(request.extensions.messages ?? {}).filter(([key]) => !key.includes('.')))
}

/** One plain text is written as such, the way people write it. */
function plain(content: Json[]): unknown {
  const [first] = content
  return content.length === 1 && first?.type === 'text' && Object.keys(first).length === 2 ? first.text : content
}

function writeSystem({ request, losses, marked }: Writing, instruction: string | undefined): unknown {
  const blocks = request.instructions
    .filter(({ text }) => text !== '')
    .map(({ role, text, cache }): Json => {
      if (role === 'developer') losses.adapted('instructions.role', 'Developer instructions are system instructions here.')
      return { type: 'text', text, ...marked(cache) }
    })
  if (request.output.format.kind === 'json') {
    losses.dropped('output.format', 'This upstream has no JSON mode; it is asked for JSON in words.')
    blocks.push({ type: 'text', text: 'Answer with one valid JSON object and nothing else: no code fence, no words around it.' })
  }
  if (instruction !== undefined) blocks.push({ type: 'text', text: instruction })
  return blocks.length === 0 ? undefined : plain(blocks)
}

function writeLimit({ request, target, losses }: Writing): number {
  const known = target.capabilities.maxOutputTokens
  const most = typeof known === 'number' && known >= 1 ? known : undefined
  const asked = request.output.maxTokens
  if (asked === undefined) return most ?? assumedOutput
  if (most === undefined || asked <= most) return Math.max(1, asked)
  losses.adapted('output.maxTokens', 'The limit was lowered to the largest output of this model.')
  return most
}

function writeFormat({ request, losses }: Writing): Json | undefined {
  const { format } = request.output
  if (format.kind !== 'schema') return undefined
  if (request.dialect === 'messages') return { type: 'json_schema', schema: format.schema }
  if (format.name !== undefined || format.description !== undefined) {
    losses.forgotten('output.format.name', 'This upstream takes a schema without a name.')
  }
  const { schema, lossy } = schemaSubset(format.schema)
  if (lossy) losses.adapted('output.format.schema', 'Some constraints of the schema are told in words only.')
  return { type: 'json_schema', schema }
}

/** The vendor refuses sequences of nothing but white space. */
function writeStop({ request, losses }: Writing): string[] {
  const kept = request.output.stop.filter((sequence) => sequence.trim() !== '')
  if (kept.length < request.output.stop.length) losses.dropped('output.stop', 'A stop sequence of white space is not possible here.')
  return kept
}

function writeTier({ request: { tier, dialect }, losses }: Writing): Json {
  switch (tier) {
    case 'default':
      return { service_tier: 'standard_only' }
    case 'priority':
      losses.adapted('tier', 'This upstream decides by itself whether an account has priority.')
      return { service_tier: 'auto' }
    case 'auto':
      return { service_tier: 'auto' }
    case 'fast':
      if (dialect === 'messages') return { speed: 'fast' }
      break
    case 'flex':
      break
    default:
      return {}
  }
  losses.forgotten('tier', 'This upstream has no such tier.')
  return {}
}

function writeIdentity({ request: { cache, identity, output }, losses }: Writing): Json {
  if (cache.key !== undefined) losses.forgotten('cache.key', 'This upstream finds its cache by the prompt itself.')
  if (identity.metadata && Object.keys(identity.metadata).length > 0) {
    losses.forgotten('identity.metadata', 'This upstream keeps no labels.')
  }
  if (output.verbosity !== undefined) losses.forgotten('output.verbosity', 'This upstream has no levels of verbosity.')
  return identity.endUser === undefined ? {} : { metadata: { user_id: identity.endUser } }
}
