/** Calls route handlers with real Requests, without a listening server; a thrown refusal is part of the outcome. */
import { GatewayError } from '#shared/errors'

interface Route {
  method: string
  path: string
  handle(visit: {
    request: Request
    url: URL
    params: Record<string, string>
    requestId: string
    clientAddress: string
  }): Response | Promise<Response>
}

/** What to send. */
export interface Ask {
  /** Sent as JSON, or as is if it is text or bytes; with type application/json unless `headers` override it. */
  body?: unknown
  cookie?: string | undefined
  /** A header with an empty value is not sent. */
  headers?: Record<string, string>
  address?: string
}

/** The answer, or the refusal that the handler threw. */
export interface Outcome {
  status: number
  /** Set for refusals, as are `param`, `message` and `retryAfter`. */
  code?: string
  param?: string | undefined
  message?: string
  retryAfter?: number | undefined
  headers: Headers
  // Tests read answers of any shape.
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what a test asserts
  body: any
}

/** Sends one request to the handler of its route. */
export type Visitor = (method: string, target: string, ask?: Ask) => Promise<Outcome>

/** A client of these routes at `origin`, for example `http://127.0.0.1:3000`. Throws if no route has the method and path. */
export function visitor(routes: readonly Route[], origin: string): Visitor {
  return async (method, target, ask = {}) => {
    const url = new URL(target, origin)
    for (const route of routes) {
      const params = route.method === method ? match(route.path, url.pathname) : undefined
      if (params === undefined) continue
      const visit = { request: requestFor(method, url, ask), url, params, requestId: 'req_test', clientAddress: ask.address ?? '127.0.0.1' }
      return outcome(async () => route.handle(visit))
    }
    throw new Error(`no route for ${method} ${url.pathname}`)
  }
}

function requestFor(method: string, url: URL, { body, cookie, headers = {} }: Ask): Request {
  const sent = new Headers({ host: url.host, ...(body !== undefined && { 'content-type': 'application/json' }) })
  if (cookie !== undefined) sent.set('cookie', cookie)
  for (const [name, value] of Object.entries(headers)) value === '' ? sent.delete(name) : sent.set(name, value)
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  return new Request(url, { method, headers: sent, ...(body !== undefined && { body: text as BodyInit }) })
}

function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const segment = given[index] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(segment)
    else if (part !== segment) return undefined
  }
  return params
}

async function outcome(handle: () => Promise<Response>): Promise<Outcome> {
  try {
    const response = await handle()
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    const { status, code, param, message, retryAfter } = thrown
    return { status, code, param, message, retryAfter, headers: new Headers(), body: undefined }
  }
}
