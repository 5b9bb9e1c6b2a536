/** Costs of messages, in USD as decimal text. */
import { formatUsd, parseUsd } from '#shared/money'
import type { Message } from './conversation.ts'

/** The costs of `messages` and `more`, in USD; null when none is known. */
export function costOf(messages: readonly Message[], more?: string): string | null {
  const costs = messages.flatMap((message) => (message.role === 'assistant' && message.cost !== null ? [message.cost] : []))
  const all = more === undefined ? costs : [...costs, more]
  return all.length === 0 ? null : formatUsd(all.reduce((sum, cost) => sum + parseUsd(cost), 0n))
}

/** `all` without `part`, both in USD, never below zero. */
export function costWithout(all: string | undefined, part: string): string {
  const left = parseUsd(all ?? '0') - parseUsd(part)
  return formatUsd(left > 0n ? left : 0n)
}
