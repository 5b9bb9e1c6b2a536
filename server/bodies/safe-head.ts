/**
 * Headers and addresses in stored form: what is not known to be harmless keeps its name but is blanked, so that no credential is stored.
 */

/** Headers whose values are stored. */
const harmless = new Set([
  ...['accept', 'accept-language', 'cache-control', 'content-length', 'content-type', 'content-encoding', 'user-agent', 'date', 'server'],
  ...['request-id', 'x-request-id', 'retry-after', 'anthropic-beta', 'anthropic-version', 'openai-beta', 'openai-version'],
  ...['openai-processing-ms', 'x-parley-strict', 'x-parley-losses', 'x-parley-stored', 'x-envoy-upstream-service-time', 'x-should-retry'],
  ...['partner-version', 'x-accel-buffering'],
])
const harmlessFamily = /^(x-stainless-|x-ratelimit-|anthropic-ratelimit-|x-session-|session[-_]id$|x-parley-)/

/** Cache of classified names: the same few come with every request. */
const judged = new Map<string, { name: string; isHarmless: boolean }>()
const mostJudged = 1000

function knownHeader(given: string): { name: string; isHarmless: boolean } {
  const known = judged.get(given)
  if (known) return known
  const name = given.toLowerCase()
  const found = { name, isHarmless: harmless.has(name) || harmlessFamily.test(name) }
  // Bounded, since callers choose names.
  if (judged.size < mostJudged) judged.set(given, found)
  return found
}

/** Replaces a value. */
export const blanked = '***'

/** The headers, those that may hold a credential without their values. */
export function safeHeaders(headers: Iterable<readonly [name: string, value: string]>): [name: string, value: string][] {
  const safe: [string, string][] = []
  for (const [name, value] of headers) {
    const known = knownHeader(name)
    safe.push([known.name, known.isHarmless ? value : blanked])
  }
  return safe
}

/** Query parameters whose values are stored. */
const harmlessParameters = new Set(['model', 'deployment', 'alt', 'api-version', 'beta', 'stream', 'limit', 'after', 'before', 'order'])

/** A URL without user, password and fragment, and with blanked values in its query. Undefined for an invalid URL. */
export function safeAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  const query = [...url.searchParams].map(([name, value]) => `${name}=${harmlessParameters.has(name) ? value : blanked}`).join('&')
  return `${url.protocol}//${url.host}${url.pathname}${query === '' ? '' : `?${query}`}`
}

/** Path and query of an address, likewise. */
export function safePath({ pathname, search, searchParams }: Pick<URL, 'pathname' | 'search' | 'searchParams'>): string {
  if (search === '') return pathname
  const query = [...searchParams].map(([name, value]) => `${name}=${harmlessParameters.has(name) ? value : blanked}`).join('&')
  return query === '' ? pathname : `${pathname}?${query}`
}
