/** The canonical conversation as a Chat request, for an upstream that speaks it. */
import type { Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest, Effort, OutputFormat } from '#canonical/conversation'
import { recordForeign } from '#canonical/extensions'
import { lossList } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import type { Body } from '../fields.ts'
import { writeSampling } from '../sampling.ts'
import { writeMessages } from './message-write.ts'
import type { Writing } from './part-write.ts'
import { writeTools } from './tools-write.ts'

/** Throws GatewayError `unsupported_value` when this upstream cannot be asked this. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  const losses = lossList()
  const writing: Writing = { request, target, losses }
  recordForeign(request, 'chat', losses)
  const { fields, names, wrapped } = writeTools(writing)
  const messages = writeMessages(writing, names)
  const body: Body = {
    ...restored(request),
    model: target.model,
    messages,
    ...fields,
    ...writeOutput(writing),
    ...writeSampling(writing),
    ...writeEffort(writing),
    ...writeIdentity(writing),
    ...(target.stream && { stream: true, stream_options: streamOptions(request) }),
  }
  notePrefill(writing)
  return { body, headers: {}, losses: losses.losses, memo: { ...names.memo(), wrappedTools: wrapped } }
}

/** What only this dialect knows comes back to it; the legacy list of functions has become tools. */
function restored({ extensions }: ConversationRequest): Body {
  const { functions: _, function_call: __, stream_options: ___, ...others } = extensions.chat ?? {}
  return others
}

function streamOptions({ extensions }: ConversationRequest): Body {
  const others = extensions.chat?.stream_options
  return { ...(typeof others === 'object' && others), include_usage: true }
}

function writeOutput({ request, target }: Writing): Body {
  const { maxTokens, format, modalities, verbosity, stop, n, logprobs } = request.output
  if (stop.length > 4) throw cannotCarry(request, 'output.stop', 'The upstream takes at most four stop sequences.')
  if (modalities.includes('image')) throw cannotCarry(request, 'output.modalities', 'The upstream makes no images in a conversation.')
  const response_format = writeFormat(format)
  const limit = target.capabilities.legacyMaxTokens ? 'max_tokens' : 'max_completion_tokens'
  return {
    ...(maxTokens !== undefined && { [limit]: maxTokens }),
    ...(response_format && { response_format }),
    ...(modalities.includes('audio') && writeAudio(request)),
    ...(verbosity !== undefined && { verbosity }),
    ...(stop.length > 0 && { stop }),
    ...(n > 1 && { n }),
    ...(logprobs !== undefined && { logprobs: true, ...(logprobs > 0 && { top_logprobs: Math.min(20, logprobs) }) }),
  }
}

/** Raw samples are the one form that can be streamed, and that the other dialects with audio use. */
function writeAudio({ extensions }: ConversationRequest): Body {
  const audio = extensions.chat?.audio ?? { voice: 'alloy', format: 'pcm16' }
  return { modalities: ['text', 'audio'], audio }
}

function writeFormat(format: OutputFormat): Body | undefined {
  if (format.kind === 'text') return undefined
  if (format.kind === 'json') return { type: 'json_object' }
  const { schema, name = 'answer', description, strict } = format
  const json_schema = {
    name: name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'answer',
    ...(description !== undefined && { description }),
    schema,
    ...(strict !== undefined && { strict }),
  }
  return { type: 'json_schema', json_schema }
}

function writeEffort({ request, losses }: Writing): Body {
  const { effort, budget } = request.reasoning
  if (effort !== undefined) return { reasoning_effort: effort }
  if (budget === undefined || budget < 0) return {}
  if (budget === 0) return { reasoning_effort: 'none' }
  losses.adapted('reasoning.budget', 'The upstream takes an effort instead of a budget.')
  return { reasoning_effort: effortOf(budget) }
}

function effortOf(budget: number): Effort {
  if (budget <= 2048) return 'low'
  if (budget <= 8192) return 'medium'
  return budget <= 24_576 ? 'high' : 'xhigh'
}

/** The longest that OpenAI's documents allow. */
const longestUser = 128

function writeIdentity({ request, losses }: Writing): Body {
  const { endUser, metadata } = request.identity
  const isFit = endUser !== undefined && endUser.length <= longestUser
  if (endUser !== undefined && !isFit) losses.forgotten('identity.endUser', 'The upstream takes shorter names of end users.')
  const isOwn = request.dialect === 'chat'
  if (metadata && !isOwn) losses.forgotten('identity.metadata', 'Labels stay with the caller’s own dialect.')
  return {
    ...(isFit && { safety_identifier: endUser }),
    ...(metadata && isOwn && { metadata }),
    ...(request.cache.key !== undefined && { prompt_cache_key: request.cache.key }),
    ...(request.tier !== undefined && { service_tier: request.tier }),
  }
}

/** Only some models go on where an assistant's message ends. */
function notePrefill({ request, target, losses }: Writing): void {
  if (request.turns.at(-1)?.role !== 'assistant' || request.dialect === 'chat') return
  if (target.capabilities.prefillRefused) throw cannotCarry(request, 'turns', 'This model does not continue an answer that was begun.')
  losses.adapted('turns.prefill', 'The upstream may not continue the answer that was begun.')
}
