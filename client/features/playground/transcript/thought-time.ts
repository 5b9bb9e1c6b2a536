import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import type { MessageKey } from '#client/features/playground/messages/messages.ts'

/** The reasoning time of a reply as a message with its count. If reasoning and text came together, only a short total tells it. */
export function thoughtTime({ reasoningMs, totalMs }: Pick<Reply, 'reasoningMs' | 'totalMs'>): [key: MessageKey, count: number] {
  const ms = reasoningMs ?? totalMs ?? 1000
  if (ms < 1000) return ['thoughtBriefly', 0]
  return reasoningMs === null ? ['reasoning', 0] : ['thought', Math.round(ms / 1000)]
}
