/** Serves the API document and the reference page, both built from the routes that are actually served. */

import type { Route } from '#http/request/route'
import { sha256Base64 } from '#runtime/read-only-folder'
import type { Docs } from '#shared/console/docs'
import { GatewayError } from '#shared/errors'
import { inEnglish, type Language, preferred, type Say, sayFrom } from './say.ts'
import { style } from './style.ts'

/** What the documentation is built from. */
export interface DocsServices {
  version: string
  publicUrl: URL
  /** A file of this package, `docs/losses.md` or `CHANGELOG.md`; undefined where it is not installed. Read on demand. */
  paper(path: string): Promise<string | undefined>
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
 * `GET /openapi.json`, the reference as one page without scripts (`/docs.html`), as pages for the console (`/docs.json`, `/docs/ID.json`)
 * and as Markdown (`/llms.txt`, `/docs/ID.md`), covering `others` and themselves. `/docs` is the console's page for browser navigations.
 * `?language=zh` is Chinese; without it `/docs.html` is in the language that the browser prefers.
 */
export function docsRoutes({ version, publicUrl, paper, client }: DocsServices, others: readonly Route[]): Route[] {
  const get = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, envelope: 'chat', handle })
  const asPage: Route['handle'] = async ({ request, url }) =>
    new Response(await page[languageOf(url) ?? preferred(request.headers.get('accept-language'))](), { headers: pageHeaders })
  const own: Route[] = [
    get('/openapi.json', async () => new Response(await text(), { headers: jsonHeaders })),
    get('/docs', async (call) => (await client(call.request, call.url)) ?? asPage(call)),
    get('/docs.html', asPage),
    get('/docs.json', async ({ url }) => new Response(await list[languageOf(url) ?? 'en'](), { headers: jsonHeaders })),
    get('/llms.txt', async () => new Response(await index(), { headers: textHeaders('text/plain') })),
    get('/docs/:page', async ({ params, url }) => onePage(params.page ?? '', languageOf(url) ?? 'en')),
  ]
  const all = [...others, ...own]
  const reference = async () => {
    const [losses, changelog] = await Promise.all([paper('docs/losses.md'), paper('CHANGELOG.md')])
    return { routeDocs: (await import('./openapi.ts')).describe(all), version, publicUrl, losses, changelog }
  }
  const docs = async (say: Say = inEnglish) => (await import('./doc-pages.ts')).docPages({ ...(await reference()), say })
  const text = once(async () => JSON.stringify((await import('./openapi.ts')).document(all, version)))
  const page: Record<Language, () => Promise<string>> = {
    en: once(async () => (await import('./page.ts')).referencePage({ ...(await reference()), say: inEnglish }, 'en')),
    zh: once(async () => (await import('./page.ts')).referencePage({ ...(await reference()), say: await inChinese() }, 'zh')),
  }
  const list: Record<Language, () => Promise<string>> = {
    en: once(async () => JSON.stringify(withoutLater(await docs()))),
    zh: once(async () => JSON.stringify(withoutLater(await docs(await inChinese())))),
  }
  const index = once(async () => (await import('./markdown.ts')).llmsText(await docs(), publicUrl.origin))

  /** Cache of single pages: each takes building the whole reference. */
  const texts = new Map<string, string>()
  /** `ID.md` in English, `ID.json` in this language. */
  async function onePage(name: string, language: Language): Promise<Response> {
    const [, id, form] = /^(.+)\.(md|json)$/.exec(name) ?? []
    const asked = form === 'json' ? `${name} ${language}` : name
    const text = texts.get(asked) ?? (await textOf(id, form, language))
    texts.set(asked, text)
    return new Response(text, { headers: form === 'json' ? jsonHeaders : textHeaders('text/markdown') })
  }
  async function textOf(id: string | undefined, form: string | undefined, language: Language): Promise<string> {
    const { pages } = await docs(form === 'json' && language === 'zh' ? await inChinese() : inEnglish)
    const found = pages.find((one) => one.id === id)
    if (found === undefined) throw new GatewayError('not_found', 'There is no such page of the reference. GET /llms.txt lists them.')
    return form === 'json' ? JSON.stringify(found) : (await import('./markdown.ts')).pageText(found)
  }
  return own
}

/** The list of pages omits long texts that few read. */
const withoutLater = ({ pages, ...about }: Docs): Docs => ({
  ...about,
  pages: pages.map((page) => (page.later ? { ...page, html: '' } : page)),
})

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
