/** The canonical conversation as a Chat request. */
import type { Memo, Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest, Effort, Output, OutputFormat, ReasoningSettings } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import { recordForeign } from '#protocols/codec/extensions'
import { type FieldWriters, lossList, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import type { Body } from '../fields.ts'
import { writeSampling } from '../sampling.ts'
import { heldTo } from '../strict-schema.ts'
import { vendorFields } from './request-read-reasoning.ts'
import { writeMessages } from './request-write-messages.ts'
import type { Writing } from './request-write-parts.ts'
import { writeTools } from './request-write-tools.ts'

/** Throws GatewayError `unsupported_value` when this upstream cannot take the request. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  const losses = lossList()
  const writing: Writing = { request, target, losses }
  recordForeign(request, 'chat', losses)
  const { fields: tools, names, wrapped } = writeTools(writing)
  const messages = writeMessages(writing, names)
  const body = writeFields(request, requestWriters, { ...writing, tools, messages })
  notePrefill(writing)
  const beyond = request.output.stop.slice(mostStops)
  const memo: Memo = { ...names.memo(), wrappedTools: wrapped, ...(beyond.length > 0 && { stopHere: beyond }) }
  return { body, headers: {}, losses: losses.losses, memo }
}

/** What needs the tools' names was written before. */
interface RequestWriting extends Writing {
  tools: Body
  messages: Body[]
}

const requestWriters: FieldWriters<ConversationRequest, RequestWriting> = {
  extensions: writeExtensions,
  model: (_, { target }) => ({ model: target.model }),
  turns: (_, { messages }) => ({ messages }),
  instructions: writtenElsewhere,
  tools: (_, { tools }) => tools,
  toolPolicy: writtenElsewhere,
  output: (output, writing) => writeFields(output, outputWriters, writing),
  sampling: (_, writing) => writeSampling(writing),
  reasoning: writeReasoning,
  identity: (identity, writing) => writeFields(identity, identityWriters, writing),
  cache: ({ key }) => (key === undefined ? undefined : { prompt_cache_key: key }),
  tier: (service_tier) => ({ service_tier }),
  // The relay decides whether the upstream streams, and always requests usage.
  stream: (_, { request, target }) => (target.stream ? { stream: true, stream_options: streamOptions(request) } : undefined),
  usageAsked: notNeeded,
  // Of other dialects: recorded as losses before anything is written.
  unread: writtenElsewhere,
  // About the request, not of it.
  dialect: notNeeded,
  paths: notNeeded,
}

/** Fields that only this dialect has are restored; the legacy list of functions has become tools. */
function writeExtensions({ chat = {} }: ConversationRequest['extensions']): Body {
  const { functions: _, function_call: __, stream_options: ___, ...others } = chat
  return others
}

function streamOptions({ extensions }: ConversationRequest): Body {
  const others = extensions.chat?.stream_options
  return { ...(typeof others === 'object' && others), include_usage: true }
}

/** Stop sequences that the upstream takes; the answer is cut at others here. */
const mostStops = 4

const outputWriters: FieldWriters<Output, Writing> = {
  stop: (stop) => (stop.length > 0 ? { stop: stop.slice(0, mostStops) } : undefined),
  modalities: (modalities, { request }) => {
    if (modalities.includes('image')) throw cannotCarry(request, 'output.modalities', 'The upstream makes no images in a conversation.')
    return modalities.includes('audio') ? writeAudio(request) : undefined
  },
  maxTokens: (maxTokens, { target }) => ({
    [target.capabilities.legacyMaxTokens ? 'max_tokens' : 'max_completion_tokens']: maxTokens,
  }),
  format: (format, writing) => writeFormat(format.kind === 'schema' ? heldTo(format, writing) : format),
  verbosity: (verbosity) => ({ verbosity }),
  n: (n) => (n > 1 ? { n } : undefined),
  logprobs: (logprobs) => ({ logprobs: true, ...(logprobs > 0 && { top_logprobs: Math.min(20, logprobs) }) }),
}

/** Raw samples are the one form that can be streamed, and that the other dialects with audio use. */
function writeAudio({ extensions }: ConversationRequest): Body {
  const audio = extensions.chat?.audio ?? { voice: 'alloy', format: 'pcm16' }
  return { modalities: ['text', 'audio'], audio }
}

function writeFormat(format: OutputFormat): Body | undefined {
  switch (format.kind) {
    case 'text':
      return undefined
    case 'json':
      return { response_format: { type: 'json_object' } }
    case 'schema':
      return { response_format: { type: 'json_schema', json_schema: writeFields(withName(format), schemaWriters, undefined) } }
  }
}

type SchemaFormat = Extract<OutputFormat, { kind: 'schema' }>

/** The upstream requires a name. */
const withName = (format: SchemaFormat): SchemaFormat => ({ name: 'answer', ...format })

const schemaWriters: FieldWriters<SchemaFormat, undefined> = {
  name: (name) => ({ name: name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer' }),
  description: (description) => ({ description }),
  schema: (schema) => ({ schema }),
  strict: (strict) => ({ strict }),
}

function writeReasoning(reasoning: ReasoningSettings, writing: Writing): Body | undefined {
  if (writing.target.capabilities.reasoningRefused !== true) return writeFields(reasoning, reasoningWriters, writing)
  const { effort, budget, adaptive } = reasoning
  const isAsked = (effort ?? 'none') !== 'none' || (budget ?? 0) !== 0 || adaptive === true
  if (isAsked) writing.losses.leftOut('reasoning', 'This model does not reason.')
  return undefined
}

const reasoningWriters: FieldWriters<ReasoningSettings, Writing> = {
  effort: (reasoning_effort, { request }) => (asksAsVendor(request) ? undefined : { reasoning_effort }),
  budget: (budget, { request, losses }, { effort }) => {
    if (asksAsVendor(request) || effort !== undefined || budget < 0) return undefined
    if (budget === 0) return { reasoning_effort: 'none' }
    losses.adapted('reasoning.budget', 'The upstream takes an effort instead of a budget.')
    return { reasoning_effort: effortOf(budget) }
  },
  // The model always decides by itself, and how much of its reasoning it shows cannot be chosen.
  adaptive: notNeeded,
  visible: notNeeded,
}

/** The caller's own fields are sent back unchanged. */
const asksAsVendor = ({ extensions }: ConversationRequest): boolean => vendorFields.some((field) => extensions.chat?.[field] !== undefined)

function effortOf(budget: number): Effort {
  if (budget <= 2048) return 'low'
  if (budget <= 8192) return 'medium'
  return budget <= 24_576 ? 'high' : 'xhigh'
}

/** The longest name of an end user that OpenAI documents. */
const longestUser = 128

const identityWriters: FieldWriters<ConversationRequest['identity'], Writing> = {
  endUser: (endUser, { losses }) => {
    if (endUser.length <= longestUser) return { safety_identifier: endUser }
    losses.leftOut('identity.endUser', 'The upstream only accepts shorter ids of end users.')
    return undefined
  },
  metadata: (metadata, { request, losses }) => {
    if (request.dialect === 'chat') return { metadata }
    losses.leftOut('identity.metadata', 'Labels are only sent in the caller’s own dialect.')
    return undefined
  },
}

/** Only some models continue a final assistant message. */
function notePrefill({ request, target, losses }: Writing): void {
  if (request.turns.at(-1)?.role !== 'assistant' || request.dialect === 'chat') return
  if (target.capabilities.prefillRefused) throw cannotCarry(request, 'turns', 'This model does not continue a prefilled answer.')
  losses.adapted('turns.prefill', 'The upstream may not continue the prefilled answer.')
}
