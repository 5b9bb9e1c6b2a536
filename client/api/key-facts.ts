/** Facts of an API key for its holder. The key is sent with the request and not stored. */
import type { KeyFacts, KeyUsage } from '#shared/console/key'
import { ApiError, readError } from './http.ts'

/** The facts of this key. Throws ApiError. */
export const readKeyFacts = (key: string, signal?: AbortSignal): Promise<KeyFacts> => read('/v1/key', key, signal)

/** What this key has left and has spent. Throws ApiError. */
export const readKeyUsage = (key: string, signal?: AbortSignal): Promise<KeyUsage> => read('/v1/key/usage', key, signal)

async function read<Answer>(path: string, key: string, signal?: AbortSignal): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}` }
  const init: RequestInit = { headers, credentials: 'omit', cache: 'no-store', redirect: 'error', ...(signal && { signal }) }
  let response: Response
  try {
    response = await fetch(path, init)
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    throw new ApiError('No response from the server.', { status: 0, code: 'offline' })
  }
  if (!response.ok) throw await readError(response)
  return (await response.json()) as Answer
}
