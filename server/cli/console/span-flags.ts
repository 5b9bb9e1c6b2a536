/** Flags that select usage and requests: by time and owner. */
import { isInstant } from '#shared/instant'
import { CommandError } from './api.ts'
import { type Flag, type Input, pick } from './command.ts'

/** Flags that name a time span. */
export const span: Readonly<Record<string, Flag>> = {
  from: { value: 'TIME', help: 'RFC 3339, or an age in hours or days: 12h, 7d' },
  to: { value: 'TIME', help: 'The same; exclusive' },
}
/** Flags that filter usage. */
export const filters: Readonly<Record<string, Flag>> = Object.fromEntries(
  ['user', 'team', 'key', 'group', 'model', 'channel'].map((name) => [name, { value: name.toUpperCase(), help: `Only of this ${name}` }]),
)
const unitMs = { h: 3_600_000, d: 86_400_000 } as const

/** `from` and `to` of the flags, RFC 3339. Throws CommandError. */
export function spanOf(flags: Input['flags']): Record<string, string> {
  return Object.fromEntries(Object.entries(pick(flags, ['from', 'to'])).map(([name, text]) => [name, instantOf(text, `--${name}`)]))
}

/** A time, or an age in hours or days: `12h`, `7d`. Throws CommandError, which names its source. */
export function instantOf(text: string, what: string): string {
  const [, count, unit] = /^(\d{1,4})([hd])$/.exec(text) ?? []
  if (count !== undefined) return new Date(Date.now() - Number(count) * unitMs[unit as 'h' | 'd']).toISOString()
  if (isInstant(text)) return text
  throw new CommandError(`${what} takes a time like 2026-03-01T00:00:00Z, or an age in hours or days: 12h, 7d.`, 2)
}
