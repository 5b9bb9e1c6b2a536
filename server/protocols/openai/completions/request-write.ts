/** The canonical conversation as a Completions request: only possible if it came from one. */
import type { Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest, Instruction, Output, Part, TextPart, Turn } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import { recordForeign } from '#protocols/codec/extensions'
import {
  type FieldWriters,
  type KindWriters,
  lossList,
  notNeeded,
  type WrittenFields,
  writeFields,
  writeKind,
  writtenElsewhere,
} from '#protocols/codec/field-writers'
import type { Body } from '../fields.ts'
import { writeSampling } from '../sampling.ts'

interface Writing {
  request: ConversationRequest
  target: Target
  losses: LossList
}

/** Throws GatewayError `unsupported_value` for a request of another dialect: a conversation is not a text to be continued. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  if (request.dialect !== 'completions') throw cannotCarry(request, 'turns', 'This upstream only continues text.')
  const losses = lossList()
  recordForeign(request, 'completions', losses)
  const body = writeFields(request, requestWriters, { request, target, losses })
  return { body, headers: {}, losses: losses.losses, memo: { toolNames: {}, wrappedTools: [] } }
}

const requestWriters: FieldWriters<ConversationRequest, Writing> = {
  extensions: ({ completions }) => completions,
  model: (_, { target }) => ({ model: target.model }),
  turns: (_, { request }) => writePrompt(request),
  instructions: writtenElsewhere,
  output: (output, writing) => writeFields(output, outputWriters, writing),
  sampling: (_, writing) => writeSampling(writing),
  identity: ({ endUser }) => (endUser === undefined ? undefined : { user: endUser }),
  stream: (_, { target }) => (target.stream ? { stream: true, stream_options: { include_usage: true } } : undefined),
  usageAsked: notNeeded,
  // Recorded as losses before anything is written.
  unread: writtenElsewhere,
  // A request of this dialect has none of these.
  tools: notNeeded,
  toolPolicy: notNeeded,
  reasoning: notNeeded,
  cache: notNeeded,
  tier: notNeeded,
  // About the request, not of it.
  dialect: notNeeded,
  paths: notNeeded,
}

const outputWriters: FieldWriters<Output, Writing> = {
  maxTokens: (max_tokens) => ({ max_tokens }),
  stop: (stop) => (stop.length > 0 ? { stop } : undefined),
  n: (n) => (n > 1 ? { n } : undefined),
  logprobs: (logprobs) => ({ logprobs }),
  // Requests of this dialect always ask for plain text.
  format: notNeeded,
  modalities: notNeeded,
  verbosity: notNeeded,
}

/** A text has no roles, no names and no cache marks. */
interface Prompt {
  instructions: WrittenFields<Instruction, { text: 'written'; role: 'notNeeded'; cache: 'notNeeded'; item: 'notNeeded' }>[]
  turns: WrittenFields<Turn, { parts: 'written'; role: 'notNeeded'; name: 'notNeeded'; developer: 'notNeeded'; path: 'notNeeded' }>[]
}

/** Empty when the prompt is in the extensions. The channel's instructions are put before the text. */
function writePrompt({ instructions, turns: [turn] }: Prompt): Body | undefined {
  if (!turn) return undefined
  const texts = turn.parts.map((part) => writeKind(part, partWriters, undefined))
  return { prompt: [...instructions.map((instruction) => instruction.text), texts.join('')].join('\n\n') }
}

const nothing = () => ''

/** A prompt is read as one text, so there are no other parts. */
const partWriters: KindWriters<Part, undefined, string> = {
  text: (part) => String(writeFields(part, textWriters, undefined).text),
  media: nothing,
  reasoning: nothing,
  call: nothing,
  result: nothing,
  refusal: nothing,
  native: nothing,
}

const textWriters: FieldWriters<TextPart, undefined> = {
  text: (text) => ({ text }),
  phase: notNeeded,
  citations: notNeeded,
  cache: notNeeded,
  opaque: notNeeded,
}
