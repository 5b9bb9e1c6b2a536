/** Opening the port. */
import type { Listener, ListenOptions } from './contract/http-server.ts'
import { platform } from './platform.ts'

export type { Listener, ListenOptions, Peer } from './contract/http-server.ts'

/**
 * Opens the port and serves it. Throws an Error with a message for users when the port cannot be opened; `variable` names the one that sets
 * it.
 */
export function listen(options: ListenOptions, variable = 'PARLEY_PORT'): Listener {
  try {
    return platform.listen(options)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    const where = `${options.hostname}:${options.port}`
    if (code === 'EADDRINUSE') throw new Error(`${where} is already in use; set ${variable} to another port`)
    throw new Error(`cannot listen on ${where}${code === '' ? '' : ` (${code})`}`)
  }
}
