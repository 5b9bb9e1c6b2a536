/**
 * Access tokens for Google's cloud: a service account signs a JWT assertion, and Google returns a token valid for an hour.
 *
 * Read: https://developers.google.com/identity/protocols/oauth2/service-account (RFC 7523).
 */

import type { Clock } from '#runtime/clock'
import type { Route } from '#runtime/contract/route'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { askForToken, createTokens, type Token, type TokenAnswer, type Tokens, tokenIn } from './tokens.ts'
import type { Upstream } from './upstream.ts'

const scope = 'https://www.googleapis.com/auth/cloud-platform'
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const defaultTokenUri = 'https://oauth2.googleapis.com/token'
/** Lifetime of the assertion in seconds; the longest that Google accepts. */
const statementSeconds = 3600
interface ServiceAccount {
  clientEmail: string
  privateKey: string
  keyId: string | undefined
  tokenUri: string
}

/** Access tokens by service account: its JSON, plain or in base64. */
export function createGoogleTokens(parts: { upstream: Upstream; clock: Clock }): Tokens {
  return createTokens(parts.clock, (secret, route) => fetchToken(parts, secret, route))
}

async function fetchToken(
  { upstream, clock }: { upstream: Upstream; clock: Clock },
  secret: string,
  route: Route | undefined,
): Promise<Token> {
  const account = readAccount(secret)
  const assertion = await statementOf(account, Math.floor(clock.now() / 1000))
  const fields = { grant_type: grant, assertion }
  return readToken(await askForToken({ upstream, clock }, account.tokenUri, fields, route), clock.now())
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

function readToken({ status, body }: TokenAnswer, now: number): Token {
  // Google answers 400 or 401 for an account that is unknown, disabled, or signed with another key.
  if (status >= 400 && status < 500 && status !== 429) {
    throw new GatewayError('upstream_auth_failed', 'The upstream rejected the service account of this channel.')
  }
  const token = status === 200 ? tokenIn(body, now) : undefined
  if (!token) throw new GatewayError('upstream_error', 'The upstream returned no access token for the service account of this channel.')
  return token
}
