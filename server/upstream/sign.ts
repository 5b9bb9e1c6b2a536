/**
 * Credentials that are not plain headers: a signature over the request, or a token that must be fetched first. A request is signed
 * when it is complete, for every attempt; it must not change afterwards. Schemes with plain headers (`#vendors/auth`) pass through.
 * Start with `createSigner`; tokens are in `google-token.ts` and `ibm-token.ts`.
 */

import { AwsV4Signer } from 'aws4fetch'
import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'
import { bedrockRegion } from '#vendors/clouds/bedrock'
import { createGoogleTokens } from './google-token.ts'
import { createIbmTokens, ibmKey } from './ibm-token.ts'
import type { Credential, Payload, Upstream, UpstreamRequest } from './upstream.ts'

/** Adds credentials to requests. */
export interface Signer {
  /**
   * The request with its credential. Rejects with GatewayError `upstream_auth_failed` when the key is malformed or rejected, with the
   * token endpoint's error, or with the signal's reason.
   */
  sign(request: UpstreamRequest, credential: Credential, signal: AbortSignalLike): Promise<UpstreamRequest>
}

/** Tokens are requested through `upstream`, so that its address rules apply. */
export function createSigner({ upstream, clock }: { upstream: Upstream; clock: Clock }): Signer {
  const tokens = createGoogleTokens({ upstream, clock })
  const ibmTokens = createIbmTokens({ upstream, clock })
  return {
    async sign(request, { scheme, secret, options }, signal) {
      if (secret === undefined || secret === '') return request
      if (scheme === 'google-service-account') return withBearer(request, await tokens.of(secret, signal, request.route))
      if (scheme === 'ibm-iam') return withBearer(request, await ibmTokens.of(ibmKey(secret, options.iam), signal, request.route))
      if (scheme !== 'sigv4') return request
      // A Bedrock API key has no colon; access keys are a pair.
      return secret.includes(':') ? signV4(request, secret, options, clock) : withBearer(request, secret)
    },
  }
}

/** Bytes were hashed when they were created. */
function digestOf({ sha256 }: Payload): string {
  if (sha256 === undefined) throw new Error('a body that is signed has no digest')
  return sha256
}

const withBearer = (request: UpstreamRequest, token: string): UpstreamRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${token}` },
})

/** `secret` is `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, optionally with `:SESSION_TOKEN`; none of them contains a colon. */
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
    // Only the headers that must be signed: a proxy on the way may change others.
    headers: {
      ...Object.fromEntries(Object.entries(request.headers).filter(([name]) => /^x-amz-/i.test(name))),
      ...(typeof request.body === 'object' && { 'x-amz-content-sha256': digestOf(request.body) }),
    },
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
