/** Signing in with name and password, and changing one's own password. Both ask for a password, and both are throttled and audited. */

import { networkOf } from '#accounts/guard/network'
import { demandStrongPassword } from '#accounts/guard/password-rules'
import { createThrottle } from '#accounts/guard/throttle'
import type { Clock, Random } from '#runtime/clock'
import { hashPassword, verifyPassword } from '#runtime/secrets'
import type { PasswordChange } from '#shared/console/session'
import { GatewayError } from '#shared/errors'
import { isKnownNetwork } from '#store/accounts/known-networks'
import { loadUser, updateUser } from '#store/accounts/users'
import type { Store } from '#store/engine/store'
import type { User } from './caller.ts'
import type { Directory } from './directory.ts'
import { demandConsole } from './refusals.ts'
import type { Origin, Sessions, SignedIn } from './sessions.ts'
import { createSignInLog } from './sign-in-log.ts'
import { writeUser } from './users.ts'

/** Passwords of people who want to get in. */
export interface SignIn {
  /** Throws `invalid_credentials`, the same for an unknown name and a wrong password, and `too_many_attempts`. */
  signIn(name: string, password: string, clientAddress: string, more?: Omit<Origin, 'address'>): Promise<SignedIn>
  /**
   * Changes the password of a signed-in user and ends all their sessions but that of `token`. Throws `invalid_credentials` for a wrong
   * old password, `weak_password`, `managed_by_file`, `too_many_attempts`.
   */
  changePassword(user: User, change: PasswordChange, token: string | undefined, from: Origin & { address: string }): Promise<void>
  /** Writes how many failed attempts were not recorded one by one. Runs on a schedule. */
  flushSignInLog(): Promise<void>
}

/** What `createSignIn` needs. */
export interface SignInParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
  sessions: Pick<Sessions, 'startSession' | 'endSessionsOf'>
}

/** An id that no user has. */
const nobody = 'nobody'

/** Sign-ins over the store and the directory. */
export function createSignIn({ store, directory, clock, random, sessions }: SignInParts): SignIn {
  const throttle = createThrottle(clock)
  const log = createSignInLog(store, clock)
  // Verified when the user does not exist or has no password, so that the answer takes the same time.
  const decoy = hashPassword(random.hex(16))

  /** The user of this name if the password is theirs. Throws `too_many_attempts`. */
  async function proven(name: string, password: string, from: Origin & { address: string }): Promise<User | undefined> {
    const user = directory.userNamed(name)
    const isKnown = () => isKnownNetwork(store, user?.id ?? nobody, networkOf(from.address))
    const attempt = await throttle.attempt(name, from.address, isKnown).catch(async (thrown: unknown) => {
      await log.refused(user, from, 'throttled')
      throw thrown
    })
    try {
      // Asked for nobody too: the answer takes the same time.
      const hash = (await loadUser(store, user?.id ?? nobody))?.passwordHash
      const right = await verifyPassword(password, hash ?? (await decoy))
      if (right && typeof hash === 'string' && user?.enabled) {
        attempt.succeeded()
        return user
      }
    } catch (thrown) {
      attempt.undecided()
      throw thrown
    }
    await log.refused(user, from, 'wrong')
    return undefined
  }

  return {
    async signIn(name, password, address, more) {
      const from = { ...more, address }
      const user = await proven(name, password, from)
      if (user === undefined) throw new GatewayError('invalid_credentials', 'The name or the password is wrong.')
      return sessions.startSession(user, from)
    },
    async changePassword(user, change, token, from) {
      demandConsole(user)
      if (!(await proven(user.name, change.old, from))) {
        throw new GatewayError('invalid_credentials', 'The old password is wrong.', { param: 'old' })
      }
      await demandStrongPassword(change.new, user.name, 'new')
      const passwordHash = await hashPassword(change.new)
      const by = { id: user.id, name: user.name, ...(from.requestId !== undefined && { requestId: from.requestId }) }
      await writeUser(store, by, 'change', user.id, (store) => updateUser(store, user.id, { passwordHash }))
      await sessions.endSessionsOf(user.id, token)
    },
    flushSignInLog: log.flush,
  }
}
