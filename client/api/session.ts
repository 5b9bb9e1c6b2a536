/** The session of the page, for every screen: the signed-in user, and what to do when the session has ended. */
import { type Accessor, createContext, useContext } from 'solid-js'
import type { UserRow } from '#shared/console/user'

/** The signed-in user and the session. */
export interface Session {
  user: Accessor<UserRow>
  /** Whether the user may see everything and change it. */
  admin: Accessor<boolean>
  /** Reloads the user with the current balance; keeps the old data if that fails. */
  refresh(): Promise<void>
  /** The session has ended on the server: shows the sign-in page, at the same address. */
  ended(): void
}

/** Provides the session to the screens. */
export const SessionContext = createContext<Session>()

/** The session of the page. Throws outside of a signed-in page. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('useSession was called outside of a signed-in page')
  return session
}
