/** Signing in and out. A session is an opaque token in a cookie; only its digest is stored, and it expires. */
import type { Clock, Random } from '#runtime/clock'
import { hashPassword, sha256Hex, verifyPassword } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { deleteSession, deleteSessionsOf, deleteStaleSessions, insertSession, touchSessions } from '#store/accounts/sessions'
import { loadUser } from '#store/accounts/users'
import type { Store } from '#store/engine/store'
import type { User } from './caller.ts'
import type { Directory } from './directory.ts'
import { createLastUsed } from './last-used.ts'
import { createThrottle } from './throttle.ts'

const day = 24 * 3600_000
/** A session ends after this much idle time, in milliseconds. */
export const idleMs = 7 * day
/** A session ends this long after sign-in however much it is used, in milliseconds. */
export const absoluteMs = 30 * day

/** A new session. */
export interface SignedIn {
  user: User
  /** For the cookie; 256 bits, hexadecimal. Never stored. */
  token: string
}

/** Starts, finds and ends sessions. */
export interface Sessions {
  /** Throws `invalid_credentials`, the same for an unknown name and a wrong password, and `too_many_attempts`. */
  signIn(name: string, password: string, clientAddress: string): Promise<SignedIn>
  /** A new session for a user who has just authenticated. */
  startSession(user: User): Promise<SignedIn>
  /** Ends the session of this token, if there is one. */
  signOut(token: string | undefined): Promise<void>
  /** The enabled user whose live session this is; undefined for anything else. Synchronous, from memory. */
  userOfSession(token: string | undefined): User | undefined
  /** Ends every session of a user. */
  endSessionsOf(userId: string): Promise<void>
  /** Writes when sessions were last used and deletes expired ones. Runs on a schedule. */
  sweepSessions(): Promise<void>
}

/** Sessions over the store and the directory. */
export function createSessions(parts: { store: Store; directory: Directory; clock: Clock; random: Random }): Sessions {
  const { store, directory, clock, random } = parts
  const throttle = createThrottle(clock)
  const uses = createLastUsed()
  // Verified when the user does not exist or has no password, so that the answer takes the same time.
  const decoy = hashPassword(random.hex(16))

  async function provenUser(name: string, password: string): Promise<User | undefined> {
    const user = directory.userNamed(name)
    const hash = user && (await loadUser(store, user.id))?.passwordHash
    const right = await verifyPassword(password, hash ?? (await decoy))
    return right && typeof hash === 'string' && user?.enabled ? user : undefined
  }

  async function startSession(user: User): Promise<SignedIn> {
    const token = random.hex(32)
    const now = new Date(clock.now())
    await insertSession(store, { digest: sha256Hex(token), userId: user.id, createdAt: now, usedAt: now })
    return { user, token }
  }

  return {
    async signIn(name, password, clientAddress) {
      const attempt = throttle.attempt(name, clientAddress)
      const user = await provenUser(name, password).catch((thrown: unknown) => {
        attempt.undecided()
        throw thrown
      })
      if (user === undefined) throw new GatewayError('invalid_credentials', 'The name or the password is wrong.')
      attempt.succeeded()
      return startSession(user)
    },
    startSession,
    async signOut(token) {
      if (token !== undefined) await deleteSession(store, sha256Hex(token))
    },
    userOfSession(token) {
      const session = token === undefined ? undefined : directory.sessions.get(sha256Hex(token))
      if (session === undefined) return undefined
      const now = clock.now()
      const usedAt = Math.max(session.usedAt.getTime(), uses.last(session.digest) ?? 0)
      if (now >= usedAt + idleMs || now >= session.createdAt.getTime() + absoluteMs) return undefined
      const user = directory.users.get(session.userId)
      if (!user?.enabled) return undefined
      uses.touch(session.digest, now)
      return user
    },
    endSessionsOf: (userId) => deleteSessionsOf(store, userId),
    async sweepSessions() {
      await uses.flush((seen) => touchSessions(store, seen))
      uses.keep((digest) => directory.sessions.get(digest) !== undefined)
      const now = clock.now()
      await deleteStaleSessions(store, new Date(now - idleMs), new Date(now - absoluteMs))
    },
  }
}
