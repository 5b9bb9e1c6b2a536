/**
 * Access tokens for Google's cloud: a service account signs a JWT assertion, and Google returns a token valid for an hour. Tokens are
 * kept in memory until shortly before they expire, and requested once however many requests wait.
 *
 * Read: https://developers.google.com/identity/protocols/oauth2/service-account (RFC 7523).
 */

import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import { asGatewayError, GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import type { Upstream, UpstreamAnswer } from './upstream.ts'

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const defaultTokenUri = 'https://oauth2.googleapis.com/token'
/** Lifetime of the assertion in seconds; the longest that Google accepts. */
const statementSeconds = 3600
/** A token is no longer used from this many milliseconds before it expires. */
const marginMs = 60_000
/** Milliseconds to wait for a token. */
const limitMs = 10_000
/** Maximum bytes read of the answer. */
const answerBytes = 64 * 1024

interface ServiceAccount {
  clientEmail: string
  privateKey: string
  keyId: string | undefined
  tokenUri: string
}

interface Token {
  value: string
  /** Milliseconds since the epoch. */
  usableUntil: number
}

/** Access tokens by service account. */
export interface GoogleTokens {
  /** An access token. `secret` is the JSON of a service account, plain or in base64. Rejects with GatewayError or the signal's reason. */
  of(secret: string, signal: AbortSignalLike): Promise<string>
}

/** Tokens for any number of service accounts, kept in memory. */
export function createGoogleTokens(parts: { upstream: Upstream; clock: Clock }): GoogleTokens {
  const { clock } = parts
  const known = new Map<string, Token>()
  const asked = new Map<string, Promise<Token>>()

  function fresh(secret: string): Promise<Token> {
    const running = asked.get(secret)
    if (running) return running
    const asking = fetchToken(parts, secret)
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
    async of(secret, signal) {
      signal.throwIfAborted()
      const token = known.get(secret)
      if (token && token.usableUntil > clock.now()) return token.value
      return (await unlessAborted(fresh(secret), signal)).value
    },
  }
}

/** A caller that aborts must not cancel the token request for the others who wait for it. */
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

async function fetchToken({ upstream, clock }: { upstream: Upstream; clock: Clock }, secret: string): Promise<Token> {
  const account = readAccount(secret)
  const assertion = await statementOf(account, Math.floor(clock.now() / 1000))
  const limit = new AbortController()
  const timer = clock.after(limitMs, () => limit.abort(new GatewayError('upstream_timeout', 'The request for an access token timed out.')))
  try {
    const answer = await upstream.open(
      {
        method: 'POST',
        url: account.tokenUri,
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: `${new URLSearchParams({ grant_type: grant, assertion })}`,
      },
      limit.signal,
    )
    return readToken(answer.status, await readAnswer(answer), clock.now())
  } catch (thrown) {
    throw asGatewayError(thrown)
  } finally {
    timer.cancel()
  }
}

const badKey = () => new GatewayError('upstream_auth_failed', 'The channel key is not the JSON of a service account.')

function readAccount(secret: string): ServiceAccount {
  const text = secret.startsWith('{') ? secret : Buffer.from(secret, 'base64').toString('utf8')
  const value = parse(text)
  if (!isObject(value)) throw badKey()
  const { client_email: clientEmail, private_key: privateKey, private_key_id: keyId, token_uri: tokenUri = defaultTokenUri } = value
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string' || typeof tokenUri !== 'string') throw badKey()
  if (!URL.canParse(tokenUri)) throw badKey()
  return { clientEmail, privateKey, keyId: typeof keyId === 'string' ? keyId : undefined, tokenUri }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The signed assertion. `now` in seconds. */
async function statementOf(account: ServiceAccount, now: number): Promise<string> {
  const { clientEmail, keyId, privateKey, tokenUri } = account
  // Loaded when first needed: few installations have a service account.
  const { importPKCS8, SignJWT } = await import('jose')
  const key = await importPKCS8(privateKey, 'RS256').catch(() => {
    throw badKey()
  })
  return new SignJWT({ iss: clientEmail, scope, aud: tokenUri, iat: now, exp: now + statementSeconds })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
    .sign(key)
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

function readToken(status: number, body: string, now: number): Token {
  // Google answers 400 or 401 for an account that is unknown, disabled, or signed with another key.
  if (status >= 400 && status < 500 && status !== 429) {
    throw new GatewayError('upstream_auth_failed', 'The upstream rejected the service account of this channel.')
  }
  const answer = status === 200 ? parse(body) : undefined
  const { access_token: value, expires_in: seconds } = isObject(answer) ? answer : {}
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value) || typeof seconds !== 'number') {
    throw new GatewayError('upstream_error', 'The upstream gave no access token for the service account of this channel.')
  }
  return { value, usableUntil: now + seconds * 1000 - marginMs }
}
