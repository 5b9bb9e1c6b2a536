/** Reads the API key from a request. Every carrier works with every protocol; two carriers with different keys are refused. */
import { GatewayError } from '#shared/errors'

const keyHeaders = ['x-api-key', 'x-third-api-key', 'x-goog-api-key'] as const
const bearer = /^bearer +(.+)$/i
/** Browsers cannot set headers on a WebSocket, so they send the key as a subprotocol with this prefix. */
const keyProtocol = 'openai-insecure-api-key.'

/** The subprotocols that the client offers, in order. */
export const offeredProtocols = (headers: Headers): string[] =>
  (headers.get('sec-websocket-protocol') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

/** The key as it was sent. Throws `invalid_api_key` when there is none and `conflicting_credentials` when there are several. */
export function readCredential(headers: Headers, query: URLSearchParams): string {
  const found = new Set<string>()
  const authorization = headers.get('authorization')
  if (authorization !== null) found.add(bearer.exec(authorization)?.[1]?.trim() ?? '')
  for (const name of keyHeaders) {
    const value = headers.get(name)
    if (value !== null) found.add(value.trim())
  }
  for (const value of query.getAll('key')) found.add(value)
  for (const name of offeredProtocols(headers)) if (name.startsWith(keyProtocol)) found.add(name.slice(keyProtocol.length))
  const [key] = found
  if (key === undefined || (found.size === 1 && key === '')) {
    throw new GatewayError('invalid_api_key', 'An API key is required: send it as "Authorization: Bearer sk-...".')
  }
  if (found.size > 1) throw new GatewayError('conflicting_credentials', 'The request has two different API keys. Send only one.')
  return key
}
