/** Serves the API document and the reference page, both built from the routes that are actually served. */

import type { Route } from '#http/request/route'
import { sha256Base64 } from '#runtime/read-only-folder'
import { GatewayError } from '#shared/errors'
import { inEnglish, type Language, preferred, type Say, sayFrom } from './say.ts'
import { style } from './style.ts'

/** What the documentation is built from. */
export interface DocsServices {
  version: string
  publicUrl: URL
  /** docs/losses.md; undefined where it is not installed. */
  losses: string | undefined
  /** The console's page, for a navigation of a browser; undefined for anything else. */
  client(request: Request, url: URL): Promise<Response | undefined>
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
  vary: 'accept-language',
}

/**
 * `GET /openapi.json`, the reference as one page without scripts (`/docs.html`), as pages for the console (`/docs.json`) and as Markdown
 * (`/llms.txt`, `/docs/ID.md`), all of `others` and themselves. `/docs` is the console's page for whoever navigates there with a browser.
 * `?language=zh` is Chinese; without it `/docs.html` is in the language that the browser prefers.
 */
export function docsRoutes({ version, publicUrl, losses, client }: DocsServices, others: readonly Route[]): Route[] {
  const get = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, envelope: 'chat', handle })
  const asPage: Route['handle'] = async ({ request, url }) =>
    new Response(await page[languageOf(url) ?? preferred(request.headers.get('accept-language'))](), { headers: pageHeaders })
  const own: Route[] = [
    get('/openapi.json', async () => new Response(await text(), { headers: jsonHeaders })),
    get('/docs', async (call) => (await client(call.request, call.url)) ?? asPage(call)),
    get('/docs.html', asPage),
    get('/docs.json', async ({ url }) => {
      const text = languageOf(url) === 'zh' ? await chinesePages() : await pages()
      return new Response(text, { headers: jsonHeaders })
    }),
    get('/llms.txt', async () => new Response(await index(), { headers: textHeaders('text/plain') })),
    get('/docs/:page', async ({ params }) => new Response(await markdown(params.page ?? ''), { headers: textHeaders('text/markdown') })),
  ]
  const all = [...others, ...own]
  const reference = async () => ({ routeDocs: (await import('./openapi.ts')).describe(all), version, publicUrl, losses })
  const docs = async (say: Say = inEnglish) => (await import('./doc-pages.ts')).docPages({ ...(await reference()), say })
  const text = once(async () => JSON.stringify((await import('./openapi.ts')).document(all, version)))
  const page: Record<Language, () => Promise<string>> = {
    en: once(async () => (await import('./page.ts')).referencePage({ ...(await reference()), say: inEnglish }, 'en')),
    zh: once(async () => (await import('./page.ts')).referencePage({ ...(await reference()), say: await inChinese() }, 'zh')),
  }
  const pages = once(async () => JSON.stringify(await docs()))
  const chinesePages = once(async () => JSON.stringify(await docs(await inChinese())))
  const index = once(async () => (await import('./markdown.ts')).llmsText(await docs(), publicUrl.origin))

  async function markdown(name: string): Promise<string> {
    const { pages } = await docs()
    const found = pages.find(({ id }) => `${id}.md` === name)
    if (found === undefined) throw new GatewayError('not_found', 'There is no such page of the reference. GET /llms.txt lists them.')
    return (await import('./markdown.ts')).pageText(found)
  }
  return own
}

const inChinese = async (): Promise<Say> => sayFrom((await import('./chinese/index.ts')).chinese)

/** The language that the address names. */
function languageOf({ searchParams }: URL): Language | undefined {
  const named = searchParams.get('language')
  return named === 'en' || named === 'zh' ? named : undefined
}

const textHeaders = (type: string) => ({
  'content-type': `${type}; charset=utf-8`,
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
})

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
