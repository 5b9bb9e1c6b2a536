/** The session of the page, for every screen: who is signed in, and what to do when the session has ended. */
import { type Accessor, createContext, useContext } from 'solid-js'
import type { UserRow } from '#shared/console/user'

/** The signed-in user and the session. */
export interface Session {
  user: Accessor<UserRow>
  /** Whether the user may see everything and change it. */
  admin: Accessor<boolean>
  /** Reads the user again, with the present balance. Keeps what was known when that fails. */
  refresh(): Promise<void>
  /** The server said that the session has ended: shows the sign-in page, at the same address. */
  ended(): void
}

/** Where the session is handed to the screens. */
export const SessionContext = createContext<Session>()

/** The session of the page. Throws outside of a signed-in page. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('no session here')
  return session
}
