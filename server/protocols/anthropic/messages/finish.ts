/** Why an answer ended, in the Messages format and in canonical form. */
import type { Finish, FinishReason } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'

type Ended = WrittenFields<Finish, { reason: 'written'; stopSequence: 'written'; raw: 'notNeeded' }>

const read: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'context-full',
  // The canonical `refusal` is the model's own, as text; this one comes from a classifier.
  refusal: 'content-filter',
  pause_turn: 'paused',
  compaction: 'paused',
}

/** The canonical finish. An unknown reason is a stop, and a call of the client's tools turns any stop into `tool-calls`. */
export function readFinish(reason: unknown, sequence: unknown, hasCalls: boolean): Finish {
  const raw = typeof reason === 'string' ? reason.slice(0, 64) : ''
  const known = (Object.hasOwn(read, raw) && read[raw]) || 'stop'
  return {
    reason: known === 'stop' && hasCalls ? 'tool-calls' : known,
    raw,
    ...(known === 'stop-sequence' && typeof sequence === 'string' && { stopSequence: sequence }),
  }
}

const written: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'context-full': 'model_context_window_exceeded',
  'content-filter': 'refusal',
  refusal: 'refusal',
  paused: 'pause_turn',
  'bad-tool-call': 'end_turn',
}

/** The wire fields. `refused` = the answer holds a refusal by the model itself, which Messages has no block for. */
export function writeFinish({ reason, stopSequence }: Ended, refused: boolean): { stop_reason: string; stop_sequence: string | null } {
  const stop_reason = refused && reason === 'stop' ? 'refusal' : written[reason]
  return { stop_reason, stop_sequence: stopSequence ?? null }
}

/** True when the answer ended at a limit of its length. */
export const isLength = (stopReason: unknown): boolean => stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded'
