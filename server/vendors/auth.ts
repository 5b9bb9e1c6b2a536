/** How a channel key becomes request headers. Pure: schemes that need a signature over the request are signed by upstream. */
import type { AuthScheme } from './vendor.ts'

/** The headers that present `secret`; empty for a vendor that needs none or a channel without a key. Names in lower case. */
export function authHeaders(scheme: AuthScheme, secret: string | undefined): Record<string, string> {
  if (secret === undefined || secret === '') return {}
  switch (scheme) {
    case 'bearer':
      return { authorization: `Bearer ${secret}` }
    case 'none':
      return {}
  }
}
