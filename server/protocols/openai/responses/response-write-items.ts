/** The shapes of output items and of the response object around them, for whole answers and for streams. */
import type { CallPart, Citation, ConversationRequest, Opaque, Phase, ReasoningPart, TokenLogprob } from '#canonical/conversation'
import type { Usage } from '#canonical/usage'
import { lossList, type WrittenFields } from '#protocols/codec/field-writers'
import { writeAnnotation } from './citations.ts'
import { formatField } from './request-write.ts'
import { writeToolChoice, writeTools } from './request-write-tools.ts'
import { writeUsage } from './usage.ts'

export type Item = Record<string, unknown>
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** A message of the model. */
export const messageItem = (id: string, status: ItemStatus, content: Item[], phase?: Phase): Item => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content,
  ...(phase && { phase }),
})

/** A text as a part of a message. */
export function textContent(text: string, citations: readonly Citation[] = [], logprobs: readonly TokenLogprob[] = []): Item {
  const annotations = citations.flatMap((citation) => writeAnnotation(citation, text.length) ?? [])
  return { type: 'output_text', text, annotations, logprobs: writeLogprobs(logprobs) }
}

/** A refusal as a part of a message. */
export const refusalContent = (refusal: string): Item => ({ type: 'refusal', refusal })

/** A client that requested summaries reads nothing else: full reasoning is written as a summary. */
export const shownForm = (form: ReasoningPart['form'], { reasoning }: ConversationRequest): ReasoningPart['form'] =>
  form === 'full' && reasoning.visible === 'summary' ? 'summary' : form

type Reasoning = WrittenFields<ReasoningPart, { text: 'written'; form: 'written'; opaque: 'written' }>

type State = WrittenFields<Opaque, { dialect: 'written'; value: 'written' }>

/** Only a complete item has state. */
export function reasoningItem(id: string, { text, form, opaque }: Omit<Reasoning, 'kind'>): Item {
  const state = opaque.findLast(({ dialect, kind }: State) => dialect === 'responses' && kind === 'encrypted')
  return {
    id,
    type: 'reasoning',
    summary: form === 'summary' ? text.map((segment) => ({ type: 'summary_text', text: segment })) : [],
    ...(form === 'full' && { content: text.map((segment) => ({ type: 'reasoning_text', text: segment })) }),
    ...(state && { encrypted_content: state.value }),
  }
}

/** State of a call is another vendor's. */
type Call = WrittenFields<
  CallPart,
  { callId: 'written'; name: 'written'; namespace: 'written'; form: 'written'; argsText: 'written'; opaque: 'notNeeded'; path: 'notNeeded' }
>

/** A tool call. */
export function callItem(id: string, status: ItemStatus, call: Omit<Call, 'kind'>): Item {
  const head = { id, status, call_id: call.callId, name: call.name, ...(call.namespace !== undefined && { namespace: call.namespace }) }
  return call.form === 'text'
    ? { type: 'custom_tool_call', ...head, input: call.argsText }
    : { type: 'function_call', ...head, arguments: call.argsText }
}

/** Function arguments that were never written are those of a function without any. */
export const wholeArguments = (form: CallPart['form'], argsText: string) => (form === 'json' && argsText === '' ? '{}' : argsText)

/** `result` is base64; `without` is the status of an item that has none. */
export function imageItem(id: string, without: 'in_progress' | 'failed', result: string | undefined, mimeType: string | undefined): Item {
  const format = mimeType?.startsWith('image/') ? mimeType.slice('image/'.length).replace('svg+xml', 'svg') : 'png'
  const status = result === undefined ? without : 'completed'
  return { id, type: 'image_generation_call', status, result: result ?? null, output_format: format }
}

type Probable = WrittenFields<TokenLogprob, { token: 'written'; logprob: 'written'; bytes: 'written'; top: 'written' }>

/** Log probabilities of a text part. */
export const writeLogprobs = (entries: readonly Probable[]) =>
  entries.map(({ top, ...token }) => ({
    ...token,
    bytes: token.bytes ?? [],
    top_logprobs: top.map((one) => ({ ...one, bytes: one.bytes ?? [] })),
  }))

/** Prefixes of ids, by the kind of an item. */
export const idPrefix = { message: 'msg_', reasoning: 'rs_', json: 'fc_', text: 'ctc_', image: 'ig_', native: 'item_' } as const

type Fields = Record<string, unknown>

/** The current state of an answer. */
export interface ResponseState {
  id: string
  created: number
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  /** Seconds since the epoch. */
  completedAt?: number
  incomplete?: { reason: string } | null
  error?: Fields
  output: Fields[]
  usage?: Usage | undefined
  tier?: string | undefined
}

/** The response; `echo` has the fields that repeat the request. */
export function responseObject(echo: Fields, progress: ResponseState): Fields {
  return {
    id: progress.id,
    object: 'response',
    created_at: progress.created,
    status: progress.status,
    completed_at: progress.completedAt ?? null,
    error: progress.error ?? null,
    incomplete_details: progress.incomplete ?? null,
    output: progress.output,
    usage: progress.usage ? writeUsage(progress.usage) : null,
    ...echo,
    ...(progress.tier !== undefined && { service_tier: progress.tier }),
  }
}

/** The fields of every response that repeat the request, with the defaults for those not set. */
export function echoOf(asked: ConversationRequest): Fields {
  const { output, sampling, identity, cache } = asked
  const own = asked.extensions.responses ?? {}
  const names = { out: (name: string) => name }
  const tools = { request: asked, losses: lossList(), names, strict: true }
  return {
    background: own.background ?? false,
    conversation: typeof own.conversation === 'string' ? { id: own.conversation } : (own.conversation ?? null),
    frequency_penalty: 0,
    instructions: fieldInstructions(asked),
    max_output_tokens: output.maxTokens ?? null,
    max_tool_calls: own.max_tool_calls ?? null,
    metadata: identity.metadata ?? {},
    model: asked.model,
    parallel_tool_calls: asked.toolPolicy.parallel ?? true,
    presence_penalty: 0,
    previous_response_id: own.previous_response_id ?? null,
    prompt: own.prompt ?? null,
    prompt_cache_key: cache.key ?? null,
    prompt_cache_retention: own.prompt_cache_retention ?? null,
    reasoning: reasoningEcho(asked),
    safety_identifier: own.user === identity.endUser ? null : (identity.endUser ?? null),
    service_tier: asked.tier ?? own.service_tier ?? 'default',
    store: own.store ?? true,
    temperature: sampling.temperature ?? 1,
    text: { format: formatField(output.format, true), verbosity: output.verbosity ?? 'medium' },
    tool_choice: writeToolChoice(tools) ?? 'auto',
    tools: writeTools(tools),
    top_logprobs: output.logprobs ?? 0,
    top_p: sampling.topP ?? 1,
    truncation: own.truncation ?? 'disabled',
    user: own.user ?? null,
  }
}

function fieldInstructions({ instructions }: ConversationRequest): string | null {
  const [first] = instructions
  return first && !first.item ? first.text : null
}

function reasoningEcho({ reasoning, extensions }: ConversationRequest): Fields {
  const own = extensions.responses?.reasoning
  return {
    effort: reasoning.effort ?? null,
    summary: reasoning.visible === 'summary' ? 'auto' : null,
    ...(typeof own === 'object' && own),
  }
}
