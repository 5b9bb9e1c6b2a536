/** Turns a channel key into request headers. Pure: schemes that sign the request are implemented in `server/upstream`. */
import type { Dialect } from '#shared/ids'
import type { AuthScheme, Vendor } from './vendor.ts'

/** The authentication scheme of this vendor in this dialect. */
export function schemeOf(vendor: Pick<Vendor, 'auth' | 'authBy'>, dialect: Dialect): AuthScheme {
  return vendor.authBy?.[dialect] ?? vendor.auth
}

/** True for a scheme that needs the whole request, or the network, and is done by `server/upstream`. */
export const isSigned = (scheme: AuthScheme): boolean => scheme === 'sigv4' || scheme === 'google-service-account'

/**
 * The headers that carry `secret`; empty for a vendor without authentication, a channel without a key, and the schemes that
 * `server/upstream` signs. Names in lower case.
 */
export function authHeaders(scheme: AuthScheme, secret: string | undefined): Record<string, string> {
  if (secret === undefined || secret === '') return {}
  switch (scheme) {
    case 'bearer':
      return { authorization: `Bearer ${secret}` }
    case 'token':
      return { authorization: `Token ${secret}` }
    case 'x-api-key':
    case 'x-goog-api-key':
    case 'xi-api-key':
    case 'api-key':
      return { [scheme]: secret }
    case 'google-service-account':
    case 'sigv4':
    case 'none':
      return {}
  }
}
