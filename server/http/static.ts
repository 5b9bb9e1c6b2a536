/**
 * Serves the built client. Hashed files never change and are cached for a year; the page itself is revalidated each time.
 * Compressed siblings made at build time are served as they are. A browser navigation to an address that no route serves gets
 * the page, with a content security policy that allows no third-party resources and no inline scripts other than the page's
 * own. Must not know what the client does.
 */
import { type Folder, sha256Base64 } from '#runtime/read-only-folder'

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  woff2: 'font/woff2',
  png: 'image/png',
  ico: 'image/x-icon',
  txt: 'text/plain; charset=utf-8',
}

const guards = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), display-capture=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** API paths: a browser that requests one gets the API's response, never the page. */
const relayServices = /^\/(api|pg|v1|v1beta|healthz|readyz|openapi\.json|metrics)(\/|$)/
const inlineScript = /<script>([\s\S]*?)<\/script>/g

/** Answers GET and HEAD for the client's files, and navigations with the page; undefined for everything else. */
export type ServeClient = (request: Request, url: URL) => Promise<Response | undefined>

/** Serves the built client from `folder`. Without an `index.html` nothing is served. */
export async function serveClient(folder: Folder): Promise<ServeClient> {
  const page = await folder.read('index.html')
  if (!page) return async () => undefined
  const policy = contentPolicy(new TextDecoder().decode(page))

  return async (request, url) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const name = nameOf(url.pathname)
    if (name !== undefined && name !== 'index.html' && folder.names.has(name)) return answer(request, name, {})
    if (relayServices.test(url.pathname) || !wantsPage(request, url)) return undefined
    return answer(request, 'index.html', { 'content-security-policy': policy })
  }

  async function answer(request: Request, name: string, extra: Record<string, string>): Promise<Response | undefined> {
    const coding = chooseCoding(request.headers.get('accept-encoding') ?? '', name, folder.names)
    const bytes = await folder.read(name + coding.suffix)
    if (!bytes) return undefined
    const headers: Record<string, string> = { ...guards, ...extra, 'content-type': typeOf(name), vary: 'accept-encoding' }
    if (coding.name !== '') headers['content-encoding'] = coding.name
    if (name.startsWith('assets/')) headers['cache-control'] = 'public, max-age=31536000, immutable'
    else {
      headers['cache-control'] = 'no-cache'
      headers.etag = `"${sha256Base64(bytes).slice(0, 22)}"`
      if (isKnown(request.headers.get('if-none-match'), headers.etag)) return new Response(null, { status: 304, headers })
    }
    headers['content-length'] = String(bytes.length)
    return new Response(request.method === 'HEAD' ? null : bytes, { headers })
  }
}

/** `default-src 'none'` plus what the page itself needs. Solid's templates, DOMPurify and the worker for
 * long markdown are the three Trusted Types policies. */
export function contentPolicy(html: string): string {
  const scripts = [...html.matchAll(inlineScript)].map(([, source]) => `'sha256-${sha256Base64(source ?? '')}'`)
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types solid dompurify markdown',
  ].join('; ')
}

/** The file name for a path; undefined when it cannot be one. Build metadata (`.vite/`) is not served. */
function nameOf(pathname: string): string | undefined {
  try {
    const name = decodeURIComponent(pathname).slice(1)
    return name.startsWith('.') || /\.(br|gz)$/.test(name) ? undefined : name
  } catch {
    return undefined
  }
}

const typeOf = (name: string): string => types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'

/** A navigation; at the root also a request that accepts anything, such as curl checking whether Parley is up. */
function wantsPage(request: Request, { pathname }: URL): boolean {
  const accepted = request.headers.get('accept') ?? '*/*'
  return accepted.includes('text/html') || (pathname === '/' && accepted.includes('*/*'))
}

function chooseCoding(accepted: string, name: string, names: ReadonlySet<string>): { name: string; suffix: string } {
  for (const [coding, suffix] of [
    ['br', '.br'],
    ['gzip', '.gz'],
  ] as const) {
    const asked = accepted.split(',').map((part) => part.trim().toLowerCase().replace(/\s/g, ''))
    const takes = asked.some((part) => part === coding || (part.startsWith(`${coding};`) && !/;q=0(\.0*)?$/.test(part)))
    if (takes && names.has(name + suffix)) return { name: coding, suffix }
  }
  return { name: '', suffix: '' }
}

const isKnown = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((part) => part.trim().replace(/^W\//, '') === etag || part.trim() === '*')
