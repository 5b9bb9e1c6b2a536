/** Calls route handlers with real Requests, without a listening server: what a refusal throws becomes part of the outcome. */
import { GatewayError } from '#shared/errors'

interface Door {
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

export interface Ask {
  /** Sent as JSON, or as it is when it is text; with the type application/json unless `headers` say otherwise. */
  body?: unknown
  cookie?: string | undefined
  /** A header set to the empty text is not sent. */
  headers?: Record<string, string>
  address?: string
}

export interface Outcome {
  status: number
  /** Of a refusal. */
  code?: string
  param?: string | undefined
  message?: string
  retryAfter?: number | undefined
  headers: Headers
  // Tests look into answers freely.
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what a test asserts
  body: any
}

export type Visitor = (method: string, target: string, ask?: Ask) => Promise<Outcome>

/** A client of these doors at `origin`, for example `http://127.0.0.1:3000`. Throws when no door has the method and path. */
export function visitor(doors: readonly Door[], origin: string): Visitor {
  return async (method, target, ask = {}) => {
    const url = new URL(target, origin)
    for (const door of doors) {
      const params = door.method === method ? match(door.path, url.pathname) : undefined
      if (params === undefined) continue
      const visit = { request: requestFor(method, url, ask), url, params, requestId: 'req_test', clientAddress: ask.address ?? '127.0.0.1' }
      return outcome(async () => door.handle(visit))
    }
    throw new Error(`no door for ${method} ${url.pathname}`)
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
