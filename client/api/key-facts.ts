/** What the holder of an API key may know of it. The key is sent once, and kept nowhere. */
import type { KeyFacts } from '#shared/console/key'
import { ApiError, readError } from './http.ts'

/** The facts of this key. Throws ApiError. */
export async function readKeyFacts(key: string, signal?: AbortSignal): Promise<KeyFacts> {
  const headers = { authorization: `Bearer ${key}` }
  const init: RequestInit = { headers, credentials: 'omit', cache: 'no-store', redirect: 'error', ...(signal && { signal }) }
  let response: Response
  try {
    response = await fetch('/v1/key', init)
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    throw new ApiError('No answer from the server.', { status: 0, code: 'offline' })
  }
  if (!response.ok) throw await readError(response)
  return (await response.json()) as KeyFacts
}
