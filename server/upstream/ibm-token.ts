/**
 * Access tokens for IBM Cloud: an API key becomes a token valid for an hour.
 * Read: https://ibm.com/watsonx/developer/get-started/quick-start.
 */
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { askForToken, createTokens, type Tokens, tokenIn } from './tokens.ts'
import type { Upstream } from './upstream.ts'

const grant = 'urn:ibm:params:oauth:grant-type:apikey'
const usualAddress = 'https://iam.cloud.ibm.com/identity/token'

/** Separates the URL and the key in the name of a token; neither contains it. */
const separator = '\n'

/** A key with its token URL, for `Tokens`; `address` is for private clouds. */
export const ibmKey = (secret: string, address = usualAddress): string => `${address}${separator}${secret}`

/** Access tokens by the result of `ibmKey`. */
export function createIbmTokens(parts: { upstream: Upstream; clock: Clock }): Tokens {
  return createTokens(parts.clock, async (named, route) => {
    const [address = '', apikey = ''] = named.split(separator, 2)
    if (!URL.canParse(address)) throw new GatewayError('upstream_error', 'The option `iam` of the channel is not a URL.')
    const { status, body } = await askForToken(parts, address, { grant_type: grant, apikey }, route)
    if (status >= 400 && status < 500 && status !== 429)
      throw new GatewayError('upstream_auth_failed', 'The upstream rejected the key of this channel.')
    const token = status === 200 ? tokenIn(body, parts.clock.now()) : undefined
    if (!token) throw new GatewayError('upstream_error', 'The upstream returned no access token for the key of this channel.')
    return token
  })
}
