/**
 * Removes the channel's keys, headers, URL and options from upstream errors. Patterns alone (`#canonical/scrub`) do not find keys or
 * accounts of an unknown format.
 */
import { withoutWords } from '#canonical/scrub'
import type { Channel } from '#routing/channel'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'

/** Shorter values may occur in any text. */
const shortest = 6
/** Options whose values are ordinary words of the vendor's API. */
const harmless = new Set(['apiVersion', 'region', 'location'])
const plainValue = /^(?:[a-z]+\/[\w.+-]+|true|false|\d{1,8}|\d{4}-\d\d-\d\d)$/i

/** A changed channel is a new object, so nothing here becomes stale. */
const known = new WeakMap<Channel, readonly string[]>()

/** The error for the caller: its message without values that only the operator may see. */
export function redacted(error: GatewayError, { channel }: Candidate): GatewayError {
  const message = withoutWords(error.message, wordsOf(channel))
  if (message === error.message) return error
  const { code, status, publicCode, type, param, retry, retryAfter, cause } = error
  return new GatewayError(code, message, {
    ...{ status, publicCode, publicType: type, retry, cause },
    ...(param !== undefined && { param }),
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

/** A text of an upstream without values that only the operator may see. */
export const withoutSecrets = (text: string, channel: Channel): string => withoutWords(text, wordsOf(channel))

function wordsOf(channel: Channel): readonly string[] {
  const found = known.get(channel)
  if (found) return found
  const url = URL.canParse(channel.baseUrl) ? new URL(channel.baseUrl) : undefined
  const words = [
    ...channel.keys.flatMap(({ secret }) => partsOf(secret)),
    ...Object.values(channel.headers).flatMap((value) => [value, value.replace(/^\w+ /, '')]),
    ...Object.entries(channel.options).flatMap(([name, value]) => (harmless.has(name) ? [] : value)),
    ...(url ? [url.href, url.host, url.hostname, url.pathname, url.username, url.password, ...url.searchParams.values()] : []),
  ]
  // Longest first: one may contain another.
  const secret = [...new Set(words)].filter((word) => word.length >= shortest && !plainValue.test(word)).sort((a, b) => b.length - a.length)
  known.set(channel, secret)
  return secret
}

/** A whole key, and its lines or fields if it has several: a service account's JSON, `id:secret`. */
const partsOf = (secret: string | undefined): string[] => (secret === undefined ? [] : [secret, ...secret.split(/[\s:"',{}]+/)])
