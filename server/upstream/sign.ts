/**
 * Credentials that are no plain header: a signature over the request, or a token that must be fetched first. A request is
 * signed when it is complete, once for every attempt; nothing in it may change afterwards. Schemes that are plain headers
 * (`#vendors/auth`) pass through. Start with `createSigner`; Google's tokens are in `google-token.ts`.
 */
import { AwsV4Signer } from 'aws4fetch'
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { bedrockRegion } from '#vendors/bedrock'
import type { AuthScheme } from '#vendors/vendor'
import { createGoogleTokens } from './google-token.ts'
import type { Upstream, UpstreamRequest } from './upstream.ts'

export interface Credential {
  scheme: AuthScheme
  /** The channel key, opened; undefined for a channel without one. */
  secret: string | undefined
  /** The channel's options. */
  options: Readonly<Record<string, string>>
}

export interface Signer {
  /**
   * The request with its credential. Rejects with GatewayError `upstream_auth_failed` when the key is none of its kind or is
   * not accepted, with what the token's address answers with, or with the signal's reason.
   */
  sign(request: UpstreamRequest, credential: Credential, signal: AbortSignal): Promise<UpstreamRequest>
}

/** `upstream` is asked for tokens, so that its address rules hold for them too. */
export function createSigner({ upstream, clock }: { upstream: Upstream; clock: Clock }): Signer {
  const tokens = createGoogleTokens({ upstream, clock })
  return {
    async sign(request, { scheme, secret, options }, signal) {
      if (secret === undefined || secret === '') return request
      if (scheme === 'google-service-account') return withBearer(request, await tokens.of(secret, signal))
      if (scheme !== 'sigv4') return request
      // A Bedrock API key is a token; access keys come as a pair.
      return secret.includes(':') ? signV4(request, secret, options, clock) : withBearer(request, secret)
    },
  }
}

const withBearer = (request: UpstreamRequest, token: string): UpstreamRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${token}` },
})

/** `secret` is `ACCESS_KEY_ID:SECRET_ACCESS_KEY` or that with `:SESSION_TOKEN`; none of them has a colon. */
async function signV4(
  request: UpstreamRequest,
  secret: string,
  options: Credential['options'],
  clock: Pick<Clock, 'now'>,
): Promise<UpstreamRequest> {
  const [accessKeyId, secretAccessKey, sessionToken, ...others] = secret.split(':')
  if (!accessKeyId || !secretAccessKey || sessionToken === '' || others.length > 0) {
    throw new GatewayError('upstream_auth_failed', 'The channel key is not a pair of an access key id and a secret access key.')
  }
  const signer = new AwsV4Signer({
    url: request.url,
    method: request.method,
    // What must be signed, and no more: a proxy on the way may touch other headers.
    headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => /^x-amz-/i.test(name))),
    ...(typeof request.body === 'string' && { body: request.body }),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service: 'bedrock',
    region: bedrockRegion(request.url, options),
    datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  })
  const signed = await signer.sign()
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(signed.headers) } }
}
