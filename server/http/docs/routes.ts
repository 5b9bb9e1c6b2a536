/** Serves the API document and the reference page, both built from the routes that are actually served. */

import type { Route } from '#http/request/route'
import { sha256Base64 } from '#runtime/read-only-folder'
import { style } from './style.ts'

/** What the documentation is built from. */
export interface DocsServices {
  version: string
  publicUrl: URL
  /** docs/losses.md; undefined where it is not installed. */
  losses: string | undefined
}

/** Content security policy: no scripts and no external resources; the only style is the page's own. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${sha256Base64(style)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), display-capture=()',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
}

/** `GET /openapi.json` and `GET /docs`, which describe `others` and themselves. */
export function docsRoutes({ version, publicUrl, losses }: DocsServices, others: readonly Route[]): Route[] {
  const own: Route[] = [
    { method: 'GET', path: '/openapi.json', envelope: 'chat', handle: async () => new Response(await text(), { headers: jsonHeaders }) },
    { method: 'GET', path: '/docs', envelope: 'chat', handle: async () => new Response(await page(), { headers: pageHeaders }) },
  ]
  const all = [...others, ...own]
  const text = once(async () => {
    const { document } = await import('./openapi.ts')
    return JSON.stringify(document(all, version))
  })
  const page = once(async () => {
    const [{ describe }, { referencePage }] = await Promise.all([import('./openapi.ts'), import('./page.ts')])
    return referencePage({ routeDocs: describe(all), version, publicUrl, losses })
  })
  return own
}

/** Public, since everything in it is in the source code. */
const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }

/** Loaded and computed on first use, then cached. */
function once(make: () => Promise<string>): () => Promise<string> {
  let made: Promise<string> | undefined
  return () => {
    made ??= make()
    return made
  }
}
