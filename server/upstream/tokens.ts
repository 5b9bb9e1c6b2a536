/**
 * Access tokens that are requested with a channel's key: cached until shortly before they expire, and requested once for all concurrent
 * callers.
 */
import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Route } from '#runtime/contract/route'
import { asGatewayError, GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import type { Upstream, UpstreamAnswer } from './upstream.ts'

/** A token is no longer used from this many milliseconds before it expires. */
const marginMs = 60_000
/** Milliseconds to wait for a token. */
const limitMs = 10_000
/** Maximum bytes read of the answer. */
const answerBytes = 64 * 1024

/** A token. */
export interface Token {
  value: string
  /** Milliseconds since the epoch. */
  usableUntil: number
}

/** Access tokens by key. */
export interface Tokens {
  /** An access token, requested over this route. Rejects with GatewayError or the signal's reason. */
  of(secret: string, signal: AbortSignalLike, route?: Route): Promise<string>
}

/** Tokens for any number of keys. */
export function createTokens(clock: Clock, fetchToken: (secret: string, route: Route | undefined) => Promise<Token>): Tokens {
  const known = new Map<string, Token>()
  const asked = new Map<string, Promise<Token>>()

  function fresh(secret: string, route: Route | undefined): Promise<Token> {
    const running = asked.get(secret)
    if (running) return running
    const asking = fetchToken(secret, route)
      .then((token) => {
        for (const [other, { usableUntil }] of known) if (usableUntil <= clock.now()) known.delete(other)
        known.set(secret, token)
        return token
      })
      .finally(() => asked.delete(secret))
    asked.set(secret, asking)
    return asking
  }

  return {
    async of(secret, signal, route) {
      signal.throwIfAborted()
      const token = known.get(secret)
      if (token && token.usableUntil > clock.now()) return token.value
      return (await unlessAborted(fresh(secret, route), signal)).value
    },
  }
}

/** A caller that aborts must not cancel the token request for the other callers. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignalLike): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  // Marks a failure as handled: all callers may have aborted.
  work.catch(() => undefined)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** The answer of a token endpoint. */
export interface TokenAnswer {
  status: number
  body: string
}

/** Posts a form to a token endpoint. Rejects with GatewayError. */
export async function askForToken(
  { upstream, clock }: { upstream: Upstream; clock: Clock },
  url: string,
  fields: Record<string, string>,
  route: Route | undefined,
): Promise<TokenAnswer> {
  const limit = new AbortController()
  const timer = clock.after(limitMs, () => limit.abort(new GatewayError('upstream_timeout', 'The request for an access token timed out.')))
  try {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    const request = { method: 'POST', url, headers, body: `${new URLSearchParams(fields)}`, ...(route && { route }) } as const
    const answer = await upstream.open(request, limit.signal)
    return { status: answer.status, body: await readAnswer(answer) }
  } catch (thrown) {
    throw asGatewayError(thrown)
  } finally {
    timer.cancel()
  }
}

async function readAnswer(answer: UpstreamAnswer): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) {
    size += piece.byteLength
    if (size > answerBytes) break
    text += decoder.decode(piece, { stream: true })
  }
  answer.cancel()
  return text + decoder.decode()
}

/** The token in an answer of OAuth 2; undefined when there is none. */
export function tokenIn(body: string, now: number): Token | undefined {
  const answer = parse(body)
  const { access_token: value, expires_in: seconds } = isObject(answer) ? answer : {}
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value) || typeof seconds !== 'number') return undefined
  return { value, usableUntil: now + seconds * 1000 - marginMs }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
