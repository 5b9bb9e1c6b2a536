/**
 * The PostgreSQL driver buffers writes and flushes them later. When the connection closes in the same turn, the runtime may still run
 * that flush, on a closed socket, where nothing can catch the exception. All queries on the connection have been rejected already, so
 * the exception can be ignored.
 */

/** True for that exception: the process may continue. */
export function isStrayWrite(thrown: unknown): boolean {
  if (!(thrown instanceof TypeError)) return false
  const [, place = ''] = (thrown.stack ?? '').split('\n')
  return /\bnextWrite\b.*[\\/]postgres[\\/](?:src|cjs[\\/]src)[\\/]connection\.js/.test(place)
}
