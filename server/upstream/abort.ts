/** Abortable waits for work that does not support AbortSignal: DNS lookups, queues. */
import type { AbortSignalLike } from '#runtime/contract/abort'

/** The work's result, or a rejection with the signal's reason as soon as it is aborted; the work itself continues in the background. */
export async function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignalLike): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
