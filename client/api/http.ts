/**
 * The only path from the client to the server. Every call goes through `callApi` (JSON) or `api/chat` (streams), and every
 * failure arrives as an `ApiError`. Knows addresses and envelopes, not screens.
 */
/** A failed call, with the code of the server's error table; `offline` when there was no response at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly type: string
  readonly param: string | undefined
  readonly requestId: string | undefined
  /** Seconds, from Retry-After. */
  readonly retryAfter: number | undefined

  constructor(
    message: string,
    detail: {
      status: number
      code: string
      type?: string
      param?: string | undefined
      requestId?: string | undefined
      retryAfter?: number | undefined
    },
  ) {
    super(message)
    this.status = detail.status
    this.code = detail.code
    this.type = detail.type ?? ''
    this.param = detail.param
    this.requestId = detail.requestId
    this.retryAfter = detail.retryAfter
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Calls the console API and resolves with the parsed body, or undefined for 204. Throws ApiError; `bad_answer` when the body
 * is not JSON.
 */
export async function callApi<Answer>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
  const response = await send(method, path, body === undefined ? undefined : JSON.stringify(body), signal)
  if (!response.ok) throw await readError(response)
  if (response.status === 204) return undefined as Answer
  return (await response.json().catch(() => {
    throw new ApiError('The server returned something that is not JSON.', { status: response.status, code: 'bad_answer' })
  })) as Answer
}

/** Asks the user to confirm their identity; false when they decline. */
export type Prover = () => Promise<boolean>

let prover: Prover | undefined
/** The pending confirmation, shared by all calls that need one meanwhile. */
let proving: Promise<boolean> | undefined

/** Sets the handler that asks for confirmation when the server requires it; with undefined such calls fail. */
export function setProver(ask: Prover | undefined): void {
  prover = ask
}

/**
 * One request with the session cookie. If the server requires a fresh confirmation of identity, asks for it and repeats the request. Throws
 * as `sendOnce` does.
 */
export async function send(...request: Parameters<typeof sendOnce>): Promise<Response> {
  const response = await sendInSession(...request)
  if (response.status !== 403 || prover === undefined) return response
  const { code } = await readError(response.clone())
  if (code !== 'reauthentication_required') return response
  proving ??= prover().finally(() => {
    proving = undefined
  })
  return (await proving) ? sendInSession(...request) : response
}

/** Milliseconds within which the cookie of a renewed session token arrives. */
const cookieMs = 300
/** Whether this page has had a session. */
let inSession = false

/**
 * One request, repeated once if the session seems to have ended: a confirmation, in this tab or another, renews its token, and
 * requests sent with the old token are refused before they have any effect. Throws as `sendOnce` does.
 */
async function sendInSession(...request: Parameters<typeof sendOnce>): Promise<Response> {
  const response = await sendOnce(...request)
  const [, path] = request
  if (response.ok && path !== '/api/status') inSession = true
  if (response.status !== 401 || !inSession || (await readError(response.clone())).code !== 'not_signed_in') return response
  await new Promise((resolve) => setTimeout(resolve, cookieMs))
  const again = await sendOnce(...request)
  inSession = again.status !== 401
  return again
}

/** One request with the session cookie. Throws the abort reason when aborted, and ApiError `offline` when there is no response. */
async function sendOnce(
  method: Method,
  path: string,
  body?: string,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store', redirect: 'error' }
  // A DELETE (of a session, a key) completes even if the page is closed meanwhile.
  if (method === 'DELETE') init.keepalive = true
  if (body !== undefined) Object.assign(init, { body, headers: { ...headers, 'content-type': 'application/json' } })
  if (signal) init.signal = signal
  try {
    return await fetch(path, init)
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    throw new ApiError('No response from the server.', { status: 0, code: 'offline' })
  }
}

/** The error envelope of a refused call as an ApiError. Without an envelope the code is `http_<status>`. */
export async function readError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null)
  return errorFrom(body, {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: seconds(response.headers.get('retry-after')),
  })
}

/** An OpenAI error envelope, from a response or from inside a stream, as an ApiError. Status 0 stands for "inside a stream". */
export function errorFrom(
  body: unknown,
  seen: { status: number; requestId?: string | undefined; retryAfter?: number | undefined },
): ApiError {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {}
  return new ApiError(text(error.message) ?? '', {
    ...seen,
    code: text(error.code) ?? (seen.status === 0 ? 'upstream_error' : `http_${seen.status}`),
    type: text(error.type) ?? '',
    param: text(error.param),
  })
}

function seconds(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

/** Whether `value` is an object, and not null or an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
