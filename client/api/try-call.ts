/** A call to a model endpoint with a key typed on the page; nothing is stored. */
import { ApiError, readError } from './http.ts'

/** The response so far. */
export interface TriedCall {
  status: number
  requestId: string | null
  /** The body, as it comes. */
  pieces: AsyncIterable<string>
}

/** Sends the call. Throws ApiError when it is refused or there is no response, and the abort reason when it is aborted. */
export async function tryCall(method: string, path: string, key: string, body: string, signal: AbortSignal): Promise<TriedCall> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` }
  if (path.startsWith('/v1/messages')) headers['anthropic-version'] = '2023-06-01'
  if (body !== '') headers['content-type'] = 'application/json'
  const init: RequestInit = { method, headers, signal, credentials: 'omit', cache: 'no-store', ...(body !== '' && { body }) }
  let response: Response
  try {
    response = await fetch(path, init)
  } catch (thrown) {
    if (signal.aborted) throw thrown
    throw new ApiError('No response from the server.', { status: 0, code: 'offline' })
  }
  if (!response.ok) throw await readError(response)
  return { status: response.status, requestId: response.headers.get('x-request-id'), pieces: piecesOf(response) }
}

async function* piecesOf(response: Response): AsyncIterable<string> {
  const type = response.headers.get('content-type') ?? ''
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  for (let size = 0; ; ) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || value === undefined) return
    size += value.length
    yield /json|text|event-stream/.test(type) ? decoder.decode(value, { stream: true }) : `[${type}, ${size} bytes]\n`
  }
}
