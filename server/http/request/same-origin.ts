/** Prevents cross-site request forgery: every route that accepts the session cookie calls this before a write. */
import { GatewayError } from '#shared/errors'

/**
 * Throws `bad_origin` unless the request comes from Parley's own pages or from no page at all: `Origin`, when sent, must be
 * the origin of the public URL or of the request's Host; without it, `Sec-Fetch-Site` must not name another site.
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
  // Under the public name only the public scheme is accepted; under another name a TLS proxy may be in between, so both are.
  if (host === publicUrl.host) return [publicUrl.origin]
  const named = ['http:', 'https:'].map((scheme) => `${scheme}//${host}`).filter((url) => URL.canParse(url))
  return [publicUrl.origin, ...named.map((url) => new URL(url).origin)]
}
