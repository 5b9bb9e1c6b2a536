/** Reads the API key from a request. Every carrier works with every protocol; two carriers with different keys are refused. */
import { GatewayError } from '#shared/errors'

const keyHeaders = ['x-api-key', 'x-third-api-key', 'x-goog-api-key'] as const
const usualBearer = 'Bearer '
const bearer = /^bearer +(.+)$/i
/** Browsers cannot set headers on a WebSocket, so they send the key as a subprotocol with this prefix. */
const keyProtocol = 'openai-insecure-api-key.'

/** The subprotocols that the client offers, in order. */
export function offeredProtocols(headers: Headers): readonly string[] {
  const offered = headers.get('sec-websocket-protocol')
  if (offered === null) return none
  return offered
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}

const none: readonly string[] = []

/** The key in an `Authorization` header; empty when it has none, or is of another scheme. */
function keyIn(authorization: string): string {
  // The usual spelling.
  if (authorization.startsWith(usualBearer)) return authorization.slice(usualBearer.length).trim()
  return bearer.exec(authorization)?.[1]?.trim() ?? ''
}

/**
 * The key as sent; undefined when no carrier has one: an empty header does not count. `further`: one more header that may carry it.
 * Throws `conflicting_credentials` when there are several.
 */
export function findCredential(headers: Headers, query: URLSearchParams, further?: string): string | undefined {
  let key = ''
  let isConflicting = false
  const found = (value: string) => {
    if (value === '') return
    if (key !== '' && key !== value) isConflicting = true
    key = value
  }
  const authorization = headers.get('authorization')
  if (authorization !== null) found(keyIn(authorization))
  for (const name of keyHeaders) {
    const value = headers.get(name)
    if (value !== null) found(value.trim())
  }
  const own = further === undefined ? null : headers.get(further)
  if (own !== null) found(own.trim())
  if (query.size > 0) for (const value of query.getAll('key')) found(value)
  for (const name of offeredProtocols(headers)) if (name.startsWith(keyProtocol)) found(name.slice(keyProtocol.length))
  if (isConflicting) throw new GatewayError('conflicting_credentials', 'The request has two different API keys. Send only one.')
  return key === '' ? undefined : key
}

/** As `findCredential`; throws `invalid_api_key` when there is none. */
export function readCredential(headers: Headers, query: URLSearchParams, further?: string): string {
  const key = findCredential(headers, query, further)
  if (key !== undefined) return key
  throw new GatewayError('invalid_api_key', 'An API key is required: send it as "Authorization: Bearer sk-...".')
}
