/** The API document for programs and the reference page for people, both made from the routes that are really served. */

import type { Route } from '#http/request/route'
import { sha256Base64 } from '#runtime/read-only-folder'
import { describe, document } from './openapi.ts'
import { referencePage } from './page.ts'
import { style } from './style.ts'

export interface DocsServices {
  version: string
  publicUrl: URL
  /** docs/losses.md; undefined where it is not installed. */
  losses: string | undefined
}

/** Nothing loads and nothing runs; the only style is the page's own. */
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
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
}

/** `others` are all other routes; these two are described as well. */
export function docsRoutes({ version, publicUrl, losses }: DocsServices, others: readonly Route[]): Route[] {
  const own: Route[] = [
    { method: 'GET', path: '/openapi.json', envelope: 'chat', handle: () => new Response(text(), { headers: jsonHeaders }) },
    { method: 'GET', path: '/docs', envelope: 'chat', handle: () => new Response(page(), { headers: pageHeaders }) },
  ]
  const all = [...others, ...own]
  const text = once(() => JSON.stringify(document(all, version)))
  const page = once(() => referencePage({ routeDocs: describe(all), version, publicUrl, losses }))
  return own
}

/** Both are public: what they say is in the program's source. */
const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }

/** Made when it is first asked for, and kept. */
function once(make: () => string): () => string {
  let made: string | undefined
  return () => {
    made ??= make()
    return made
  }
}
