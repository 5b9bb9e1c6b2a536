/** Why a completed text ended: three finish reasons, both ways. */
import type { Finish } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'
import { readFinish as readChatFinish, writeFinish as writeChatFinish } from '../chat/finish.ts'

type Ended = WrittenFields<Finish, { reason: 'written'; raw: 'notNeeded'; stopSequence: 'notNeeded' }>

/** The `finish_reason` of a choice as a canonical reason. */
export const readFinish = (raw: unknown): Finish => readChatFinish(typeof raw === 'string' ? raw : '', { call: false, refusal: false })

/** A completion cannot call a tool; a refusal is reported as `content_filter`. */
export function writeFinish(finish: Ended): string {
  const word = writeChatFinish(finish, { refusal: false })
  return word === 'tool_calls' ? 'stop' : word
}
