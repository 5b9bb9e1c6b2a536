/**
 * Parses rate-limit headers in the spellings that vendors use. Every wait is capped at a minute, whatever an upstream asks for. Pure:
 * the time is passed in.
 */

/** Seconds. */
const longestSeconds = 60

/** Headers of one limit: what remains, of how much, and when it resets. */
type Limit = readonly [remaining: string, limit: string, reset: string]

const openai = (what: string): Limit => [`x-ratelimit-remaining-${what}`, `x-ratelimit-limit-${what}`, `x-ratelimit-reset-${what}`]
const anthropic = (what: string): Limit => {
  const name = `anthropic-ratelimit-${what}`
  return [`${name}-remaining`, `${name}-limit`, `${name}-reset`]
}
const limits: readonly Limit[] = [
  openai('requests'),
  openai('tokens'),
  ['x-ratelimit-remaining', 'x-ratelimit-limit', 'x-ratelimit-reset'],
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map(anthropic),
]

/** A limit with no more than this fraction left counts as used up. */
const nearly = 0.01

const number = (text: string | null) => (text !== null && /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined)

/** Milliseconds per unit, for durations such as `6m0s`, `20ms`, `1.5s`. */
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function duration(text: string): number | undefined {
  if (!/^(?:\d{1,12}(?:\.\d{1,9})?(?:ms|[smhd]))+$/.test(text)) return undefined
  const parts = [...text.matchAll(/([\d.]+)(ms|[smhd])/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0)
}

function date(text: string, now: number): number | undefined {
  // Every date format in use contains a year; without this test a bare number would parse as one.
  const at = /[a-z].*\d{4}|^\d{4}-\d{2}-\d{2}T/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** Milliseconds until a limit resets; the header is seconds, a duration, a date, or a Unix time in seconds or milliseconds. */
function resetIn(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  const plain = number(text)
  if (plain === undefined) return duration(text) ?? date(text, now)
  if (plain > 1e11) return Math.max(0, plain - now)
  return plain > 1e9 ? Math.max(0, plain * 1000 - now) : plain * 1000
}

/** Milliseconds until the last of the limits selected by `counts` resets. */
function latestReset(
  headers: Pick<Headers, 'get'>,
  now: number,
  counts: (left: number, limit: number | undefined) => boolean,
): number | undefined {
  let latest: number | undefined
  for (const [remaining, limit, reset] of limits) {
    const left = number(headers.get(remaining))
    if (left === undefined || !counts(left, number(headers.get(limit)))) continue
    const ms = resetIn(headers.get(reset), now)
    if (ms !== undefined) latest = Math.max(latest ?? 0, ms)
  }
  return latest
}

/**
 * Seconds to wait after a 429 or 503, between 1 and 60: from `retry-after-ms`, `retry-after` (seconds or a date), else the reset of
 * the exhausted limit. Undefined when no header has a usable value (negative numbers are not). `now`: milliseconds since the epoch.
 */
export function secondsToWait(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const asked = headers.get('retry-after')
  const seconds = number(asked)
  const ms =
    number(headers.get('retry-after-ms')) ??
    (seconds === undefined ? date(asked ?? '', now) : seconds * 1000) ??
    latestReset(headers, now, (left) => left === 0)
  return ms === undefined ? undefined : Math.min(longestSeconds, Math.max(1, Math.ceil(ms / 1000)))
}

/** The headers of an error answer with `retry-after` normalised to seconds, or removed; codecs read nothing else about the wait. */
export function withPlainWait(headers: Pick<Headers, 'get'> & Iterable<[string, string]>, now: number): Headers {
  const seconds = secondsToWait(headers, now)
  const plain = new Headers([...headers])
  if (seconds === undefined) plain.delete('retry-after')
  else plain.set('retry-after', String(seconds))
  return plain
}

const isNearlySpent = (left: number, limit: number | undefined) => left <= (limit ?? 0) * nearly

/**
 * Milliseconds, at most a minute, for which the key that got this answer has almost no quota left; 0 = it has, or the headers do not
 * say. `now`: milliseconds since the epoch.
 */
export function spentFor(headers: Pick<Headers, 'get'>, now: number): number {
  const ms = latestReset(headers, now, isNearlySpent)
  return Math.min(longestSeconds * 1000, ms ?? 0)
}
