/** Why an answer of Chat ended, both ways. */
import type { Finish, FinishReason } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'

/** How a choice ended, as far as this dialect can express it; `raw` is the reason for a pause. */
export type Ended = WrittenFields<Finish, { reason: 'written'; raw: 'written'; stopSequence: 'notNeeded' }>

/** The content of the answer, for finish reasons that are ambiguous without it. */
export interface Seen {
  call: boolean
  refusal: boolean
}

/** The documented finish reasons, and those of vendors with a variant of this dialect. */
const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  stop_sequence: 'stop-sequence',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  max_tokens: 'length',
  // Mistral's and Zhipu's values for a full context.
  model_length: 'context-full',
  model_context_window_exceeded: 'context-full',
  content_filter: 'content-filter',
  safety: 'content-filter',
  sensitive: 'content-filter',
}

/** Those of DeepSeek, of vLLM and SGLang for an answer that their engine gave up, and of Zhipu. */
const failures = new Set<unknown>(['error', 'insufficient_system_resource', 'abort', 'network_error'])

/** Finish reasons that mean a failure, in place of an error: the stream ends as usual. */
export const isFailure = (raw: unknown): boolean => failures.has(raw)

/** A call takes precedence over `stop`, because some vendors never send `tool_calls`. `raw` is empty when the upstream gave no reason. */
export function readFinish(raw: string, seen: Seen): Finish {
  const word = raw.toLowerCase()
  const reason = (Object.hasOwn(reasons, word) ? reasons[word] : undefined) ?? 'stop'
  if (reason === 'stop' || reason === 'tool-calls') return { reason: ended(reason, seen), raw }
  return { reason, raw }
}

function ended(reason: 'stop' | 'tool-calls', { call, refusal }: Seen): FinishReason {
  if (call) return 'tool-calls'
  if (reason === 'tool-calls') return 'bad-tool-call'
  return refusal ? 'refusal' : 'stop'
}

/** A refusal with text ends with `stop`; one without text is reported as `content_filter`. */
export function writeFinish({ reason }: Pick<Ended, 'reason'>, { refusal }: Pick<Seen, 'refusal'>): string {
  switch (reason) {
    case 'stop':
    case 'stop-sequence':
    case 'paused':
    case 'bad-tool-call':
      return 'stop'
    case 'tool-calls':
      return 'tool_calls'
    case 'length':
    case 'context-full':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'refusal':
      return refusal ? 'stop' : 'content_filter'
  }
}
