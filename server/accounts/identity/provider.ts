/**
 * Sign-in by an OpenID provider: the authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 9700), which
 * openid-client does. Nothing here knows users or sessions.
 */
import type { Configuration } from 'openid-client'
import { GatewayError } from '#shared/errors'

/** The administrator's settings of the provider. */
export interface ProviderSettings {
  issuer: URL
  clientId: string
  /** Undefined for a public client, which has PKCE alone. */
  clientSecret: string | undefined
  /** The claim that names groups; undefined: groups are assigned here. */
  groupsClaim: string | undefined
  /** Where the provider sends the browser back to. */
  redirectUri: URL
}

/** State between the two halves of a sign-in, kept by the browser that began it. */
export interface Attempt {
  state: string
  nonce: string
  verifier: string
}

/** A person, as asserted by the provider. */
export interface Identity {
  issuer: string
  subject: string
  /** A short display name; undefined when the provider gives none. */
  label: string | undefined
  /** The groups that the claim names; undefined when no claim is configured. */
  groups: readonly string[] | undefined
}

/** An OpenID provider. */
export interface IdentityProvider {
  /**
   * Where to send the browser; `again`: the provider must authenticate again. Throws `upstream_error` while the provider does not answer.
   */
  begin(again?: boolean): Promise<{ address: URL; attempt: Attempt }>
  /**
   * Exchanges the code that the browser returned with; `returned` is the whole URL. Throws `invalid_credentials` when the
   * answer does not belong to this attempt, is refused or invalid, or, with `again`, states no recent authentication; and `upstream_error`
   * while the provider does not answer.
   */
  finish(returned: URL, attempt: Attempt, again?: boolean): Promise<Identity>
}

/** Most seconds since the authentication at the provider, where a new one was requested. */
const provedWithin = 300
/** Timeout for the provider, in seconds. */
const timeout = 10

/** Reads the provider's metadata when it is first needed. */
export function createIdentityProvider(settings: ProviderSettings): IdentityProvider {
  let known: Promise<Configuration> | undefined

  function configuration(): Promise<Configuration> {
    known ??= discover(settings).catch((thrown: unknown) => {
      known = undefined
      throw unavailable(thrown)
    })
    return known
  }

  return {
    async begin(again = false) {
      const config = await configuration()
      const client = await load()
      const attempt = { state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() }
      const address = client.buildAuthorizationUrl(config, {
        redirect_uri: settings.redirectUri.href,
        scope: scopesOf(config, settings.groupsClaim),
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        ...(again && { prompt: 'login', max_age: '0' }),
      })
      return { address, attempt }
    },
    async finish(returned, { state, nonce, verifier }, again = false) {
      const config = await configuration()
      const client = await load()
      try {
        const answers = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
        const checks = { ...answers, ...(again && { maxAge: provedWithin }) }
        const tokens = await client.authorizationCodeGrant(config, returned, checks)
        const signed = tokens.claims()
        if (signed === undefined) throw new Error('the answer has no ID token')
        // Many providers keep names and groups out of the ID token.
        const lacksGroups = settings.groupsClaim !== undefined && !Object.hasOwn(signed, settings.groupsClaim)
        const asksMore = (lacksGroups || labelOf(signed) === undefined) && config.serverMetadata().userinfo_endpoint !== undefined
        const more = asksMore ? await client.fetchUserInfo(config, tokens.access_token, signed.sub) : {}
        const claims: Claims = { ...more, ...signed }
        return {
          issuer: signed.iss,
          subject: signed.sub,
          label: labelOf(claims),
          groups: settings.groupsClaim === undefined ? undefined : namesIn(claims[settings.groupsClaim]),
        }
      } catch (thrown) {
        throw isNetworkFailure(thrown) ? unavailable(thrown) : refused(thrown)
      }
    },
  }
}

type Claims = Readonly<Record<string, unknown>>

/** Loaded when first needed: most installations have no provider. */
const load = () => import('openid-client')

async function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<Configuration> {
  const client = await load()
  // `config.ts` lets only loopback addresses be plain HTTP.
  const execute = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []
  const config = await client.discovery(issuer, clientId, undefined, client.None(), { execute, timeout })
  if (clientSecret === undefined) return config
  const methods = config.serverMetadata().token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const authentication = methods.includes('client_secret_basic')
    ? client.ClientSecretBasic(clientSecret)
    : client.ClientSecretPost(clientSecret)
  const withSecret = new client.Configuration(config.serverMetadata(), clientId, clientSecret, authentication)
  withSecret.timeout = timeout
  for (const extend of execute) extend(withSecret)
  return withSecret
}

/** Providers with a scope of the claim's name send the claim only if the scope is requested. */
function scopesOf(config: Configuration, groupsClaim: string | undefined): string {
  const offered = config.serverMetadata().scopes_supported ?? []
  const asksGroups = groupsClaim !== undefined && offered.includes(groupsClaim)
  return ['openid', 'profile', 'email', ...(asksGroups ? [groupsClaim] : [])].join(' ')
}

function labelOf(claims: Claims): string | undefined {
  const [label] = ['preferred_username', 'email', 'name']
    .map((name) => claims[name])
    .filter((value) => typeof value === 'string' && value !== '')
  return typeof label === 'string' ? label : undefined
}

/** A claim of groups is a list, or a single name. */
function namesIn(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return [claim]
  return Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : []
}

/** Errors of `fetch` without an answer, and openid-client's errors for that and for server errors. */
function isNetworkFailure(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  const { cause } = thrown
  if (cause instanceof Response) return cause.status >= 500
  return thrown.name === 'TimeoutError' || (thrown instanceof TypeError && !('code' in thrown)) || 'syscall' in thrown
}

const unavailable = (cause: unknown) =>
  new GatewayError('upstream_error', 'The identity provider is not responding. Try again later.', { cause })
const refused = (cause: unknown) => new GatewayError('invalid_credentials', 'The identity provider did not confirm who you are.', { cause })
