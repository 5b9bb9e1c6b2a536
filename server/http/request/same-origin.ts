/** Keeps pages of other sites from using a visitor's session: every door that a cookie opens asks here before a write. */
import { GatewayError } from '#shared/errors'

/**
 * Throws `bad_origin` unless the request comes from Parley's own pages or from no page at all: `Origin`, when sent, must be
 * the origin of the public URL or of the request's Host; without it, `Sec-Fetch-Site` must not speak of another site.
 */
export function sameOrigin(request: Request, publicUrl: URL): void {
  const origin = request.headers.get('origin')
  const allowed = origin === null ? fromNoOtherSite(request) : ownOrigins(request, publicUrl).includes(origin)
  if (!allowed) throw new GatewayError('bad_origin', 'This request came from a page of another site. Nothing was done.')
}

function fromNoOtherSite(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  return site === null || site === 'same-origin' || site === 'none'
}

function ownOrigins(request: Request, publicUrl: URL): string[] {
  const host = request.headers.get('host') ?? new URL(request.url).host
  // By the public name only the public scheme counts; by another name a TLS proxy may stand in between, so both do.
  if (host === publicUrl.host) return [publicUrl.origin]
  const named = ['http:', 'https:'].map((scheme) => `${scheme}//${host}`).filter((url) => URL.canParse(url))
  return [publicUrl.origin, ...named.map((url) => new URL(url).origin)]
}
