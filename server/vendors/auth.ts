/** How a channel key becomes request headers. Pure: schemes that need a signature over the request are signed by upstream. */
import type { Dialect } from '#shared/ids'
import type { AuthScheme, Vendor } from './vendor.ts'

/** How this vendor is told who is calling in this dialect. */
export function schemeOf(vendor: Pick<Vendor, 'auth' | 'authBy'>, dialect: Dialect): AuthScheme {
  return vendor.authBy?.[dialect] ?? vendor.auth
}

/**
 * The headers that present `secret`; empty for a vendor that needs none, a channel without a key, and the schemes that
 * upstream signs. Names in lower case.
 */
export function authHeaders(scheme: AuthScheme, secret: string | undefined): Record<string, string> {
  if (secret === undefined || secret === '') return {}
  switch (scheme) {
    case 'bearer':
      return { authorization: `Bearer ${secret}` }
    case 'x-api-key':
    case 'x-goog-api-key':
    case 'api-key':
      return { [scheme]: secret }
    case 'google-service-account':
    case 'sigv4':
    case 'none':
      return {}
  }
}
