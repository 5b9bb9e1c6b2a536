/** A caller's own limits in the headers that clients of each protocol read. Gemini has none. */
import type { Allowance, Allowances } from '#canonical/allowance'
import type { Wire } from '#shared/ids'

type Kind = keyof Allowances

/** `nowMs` is milliseconds since the epoch. */
type Write = (kind: Kind, allowance: Allowance, nowMs: number) => [name: string, value: string][]

/** Seconds and minutes as OpenAI writes them: `1s`, `6m0s`, `350ms`. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}

const openai: Write = (kind, { limit, remaining, resetMs }) => [
  [`x-ratelimit-limit-${kind}`, String(limit)],
  [`x-ratelimit-remaining-${kind}`, String(remaining)],
  [`x-ratelimit-reset-${kind}`, duration(resetMs)],
]

const anthropic: Write = (kind, { limit, remaining, resetMs }, nowMs) => [
  [`anthropic-ratelimit-${kind}-limit`, String(limit)],
  [`anthropic-ratelimit-${kind}-remaining`, String(remaining)],
  [`anthropic-ratelimit-${kind}-reset`, new Date(nowMs + resetMs).toISOString()],
]

/** Gemini's clients read none; all others except Messages copy OpenAI. */
function writerOf(wire: Wire): Write | undefined {
  if (wire === 'gemini') return undefined
  return wire === 'messages' ? anthropic : openai
}

/** The headers of a response that tell the caller its own limits. `nowMs` is milliseconds since the epoch. */
export function allowanceHeaders(wire: Wire, allowances: Allowances, nowMs: number): Record<string, string> {
  const write = writerOf(wire)
  if (!write) return {}
  const all = (['requests', 'tokens'] as const).flatMap((kind) => {
    const allowance = allowances[kind]
    return allowance ? write(kind, allowance, nowMs) : []
  })
  return Object.fromEntries(all)
}
