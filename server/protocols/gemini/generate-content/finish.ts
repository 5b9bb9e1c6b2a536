/** Why an answer ended: Gemini's finish reasons and the canonical ones. There is none for a call: calls end with STOP. */
import type { Finish, FinishReason } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'

type Ended = WrittenFields<Finish, { reason: 'written'; raw: 'written'; stopSequence: 'notNeeded' }>

const read: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  LANGUAGE: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  IMAGE_OTHER: 'content-filter',
  MODEL_ARMOR: 'content-filter',
  ESCALATION: 'content-filter',
  PUP_LIMITED_DISABLED: 'content-filter',
  MALFORMED_FUNCTION_CALL: 'bad-tool-call',
  UNEXPECTED_TOOL_CALL: 'bad-tool-call',
  TOO_MANY_TOOL_CALLS: 'bad-tool-call',
  MALFORMED_RESPONSE: 'bad-tool-call',
  MISSING_THOUGHT_SIGNATURE: 'bad-tool-call',
  CONTINUATION: 'paused',
  OTHER: 'refusal',
  NO_IMAGE: 'refusal',
}

const written: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'context-full': 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  refusal: 'OTHER',
  paused: 'CONTINUATION',
  'bad-tool-call': 'MALFORMED_FUNCTION_CALL',
}

/** The canonical finish. With a call, STOP means `tool-calls`. An unknown reason is not success, so it is read as OTHER. */
export function readFinish(raw: string, hasCalls: boolean): Finish {
  const reason = Object.hasOwn(read, raw) ? (read[raw] ?? 'refusal') : 'refusal'
  return { reason: reason === 'stop' && hasCalls ? 'tool-calls' : reason, raw }
}

/** The finish of an answer whose prompt was blocked. `raw` is the block reason. */
export const blockedFinish = (raw: string): Finish => ({ reason: 'content-filter', raw })

/** The upstream's own value if this dialect has it for the same reason. */
export function writeFinish({ reason, raw }: Ended): string {
  return Object.hasOwn(read, raw) && read[raw] === reason ? raw : written[reason]
}
