/**
 * The PostgreSQL driver writes from behind what it has gathered. When the connection closes in that very turn the runtime may still
 * run that write, on a socket that is gone, where nobody can catch it. Whatever was on the connection has been rejected already,
 * so nothing is lost but the exception.
 */

/** Whether this is that exception, and the process may go on. */
export function isStrayWrite(thrown: unknown): boolean {
  if (!(thrown instanceof TypeError)) return false
  const [, place = ''] = (thrown.stack ?? '').split('\n')
  return /\bnextWrite\b.*[\\/]postgres[\\/](?:src|cjs[\\/]src)[\\/]connection\.js/.test(place)
}
