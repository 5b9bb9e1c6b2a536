/** Why a completed text ended: three words, both ways. */
import type { Finish } from '#canonical/conversation'
import { readFinish as readChatFinish, writeFinish as writeChatFinish } from '../chat/finish.ts'

export const readFinish = (raw: unknown): Finish => readChatFinish(typeof raw === 'string' ? raw : '', { call: false, refusal: false })

/** A text cannot call a tool, and a refusal is told by being filtered. */
export function writeFinish(finish: Finish): string {
  const word = writeChatFinish(finish, { refusal: false })
  return word === 'tool_calls' ? 'stop' : word
}
