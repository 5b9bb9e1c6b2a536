/**
 * Signing in: with name and password, then the second factor, or by a passkey alone; confirming one's identity again; and changing
 * one's own password. All of it is throttled and audited.
 */

import type { Factors, PasskeyAsked } from '#accounts/factors/factors'
import { networkOf } from '#accounts/guard/network'
import { demandStrongPassword } from '#accounts/guard/password-rules'
import { createThrottle, ofFactors } from '#accounts/guard/throttle'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { hashPassword, sha256Hex, verifyPassword } from '#runtime/secrets'
import type { FactorGiven, PasskeyAnswer, PasswordChange, ProofGiven } from '#shared/console/session'
import { GatewayError } from '#shared/errors'
import { isKnownNetwork } from '#store/accounts/known-networks'
import { countTry, findStep, takeStepRow } from '#store/accounts/sign-in-steps'
import { loadUser, updateUser } from '#store/accounts/users'
import type { Store } from '#store/engine/store'
import type { User } from './caller.ts'
import type { Directory } from './directory.ts'
import { demandConsole } from './refusals.ts'
import type { Origin, Sessions, SignedIn } from './sessions.ts'
import { createSignInLog } from './sign-in-log.ts'
import { writeUser } from './users.ts'

/** Origin of an attempt. */
type From = Origin & { address: string }

/** Signs users in. */
export interface SignIn {
  /** Throws `invalid_credentials`, the same for an unknown name and a wrong password, and `too_many_attempts`. */
  signIn(name: string, password: string, clientAddress: string, more?: Omit<Origin, 'address'>): Promise<SignedIn>
  /** The user whose sign-in waits for the second factor under this token. Throws `not_signed_in`. */
  userOfStep(token: string | undefined): Promise<User>
  /**
   * Ends a sign-in with the second factor. Throws `invalid_credentials`, `too_many_attempts`, and `not_signed_in` for a step that is over.
   */
  finishStep(token: string | undefined, given: FactorGiven, from: From): Promise<SignedIn>
  /** Signs in by a passkey that knows its user. Throws `invalid_credentials`. */
  signInByPasskey(answer: PasskeyAnswer, from: From): Promise<SignedIn>
  /** Confirms the user's identity for the session of `token`; resolves to its new token, as `proved` does. Throws `invalid_credentials`,
`too_many_attempts`. */
  proveAgain(user: User, token: string, given: ProofGiven, from: From): Promise<string | undefined>
  /**
   * Changes the password of a signed-in user and ends all their sessions but that of `token`; resolves to its new token,
   * as `proved` does. Throws `invalid_credentials` for a wrong old password, `weak_password`, `managed_by_file`, `too_many_attempts`.
   */
  changePassword(user: User, change: PasswordChange, token: string | undefined, from: From): Promise<string | undefined>
  /** Writes how many failed attempts were not recorded one by one. Runs on a schedule. */
  flushSignInLog(): Promise<void>
}

/** What `createSignIn` needs. */
export interface SignInParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
  sessions: Pick<Sessions, 'begin' | 'startSession' | 'endSessionsOf' | 'nameOf' | 'proved'>
  factors?: Factors | undefined
  /** Logs refusals. */
  log: Pick<Log, 'info'>
}

/** Wrong answers after which a sign-in must start over. */
const mostTries = 5

/** An id that no user has. */
const nobody = 'nobody'

/** Sign-ins over the store and the directory. */
export function createSignIn({ store, directory, clock, random, sessions, factors, ...parts }: SignInParts): SignIn {
  const throttle = createThrottle(clock)
  const factorThrottle = createThrottle(clock, 'to sign in', ofFactors)
  const log = createSignInLog(store, clock, parts.log)
  // Verified when the user does not exist or has no password, so that the answer takes the same time.
  const decoy = hashPassword(random.hex(16))

  /** The user of this name if the password is theirs. Throws `too_many_attempts`. */
  async function proven(name: string, password: string, from: From): Promise<User | undefined> {
    const user = directory.userNamed(name)
    const isKnown = () => isKnownNetwork(store, user?.id ?? nobody, networkOf(from.address))
    const attempt = await throttle.attempt(name, from.address, isKnown).catch(async (thrown: unknown) => {
      await log.refused(user, from, 'throttled')
      throw thrown
    })
    try {
      // Also queried for an unknown user, so that the answer takes the same time.
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

  /** Whether the second factor is the user's. Throws `too_many_attempts`. */
  async function provenBy(user: User, given: FactorGiven, asked: PasskeyAsked, from: From): Promise<boolean> {
    const isKnown = () => isKnownNetwork(store, user.id, networkOf(from.address))
    const attempt = await factorThrottle.attempt(user.id, from.address, isKnown).catch(async (thrown: unknown) => {
      await log.refused(user, from, 'throttled')
      throw thrown
    })
    try {
      if (await factors?.prove(user.id, given, asked)) {
        attempt.succeeded()
        return true
      }
    } catch (thrown) {
      attempt.undecided()
      throw thrown
    }
    await log.refused(user, from, 'wrong second factor')
    return false
  }

  async function stepOf(token: string | undefined) {
    const step = token === undefined ? undefined : await findStep(store, sha256Hex(token), new Date(clock.now()))
    const user = step && directory.users.get(step.userId)
    if (step === undefined || !user?.enabled) throw stepOver()
    return { ...step, user }
  }

  return {
    userOfStep: async (token) => (await stepOf(token)).user,
    async finishStep(token, given, from) {
      const { user, digest, via } = await stepOf(token)
      if (!(await countTry(store, digest, mostTries))) throw stepOver()
      if (!(await provenBy(user, given, { use: 'step', subject: digest }, from))) throw wrongFactor()
      // Only one of two concurrent correct answers gets the step.
      if (!(await takeStepRow(store, digest))) throw stepOver()
      return sessions.startSession(user, from, via)
    },
    async signInByPasskey(answer, from) {
      // A signature cannot be guessed, so this is not throttled.
      const id = await factors?.holderOf(answer)
      const user = id === undefined ? undefined : directory.users.get(id)
      if (!user?.enabled) {
        await log.refused(user, from, 'wrong second factor')
        throw new GatewayError('invalid_credentials', 'No user here has this passkey.')
      }
      return sessions.begin(user, 'passkey', from)
    },
    async proveAgain(user, token, { password, ...given }, from) {
      const subject = sessions.nameOf(token)
      const isRight =
        password === undefined
          ? await provenBy(user, given, { use: 'proof', subject }, from)
          : (await proven(user.name, password, from)) !== undefined
      if (!isRight) throw wrongFactor()
      return sessions.proved(token, from.requestId)
    },
    async signIn(name, password, address, more) {
      const from = { ...more, address }
      const user = await proven(name, password, from)
      if (user === undefined) throw new GatewayError('invalid_credentials', 'The name or the password is wrong.')
      return sessions.begin(user, 'password', from)
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
      return token === undefined ? undefined : sessions.proved(token, from.requestId)
    },
    flushSignInLog: log.flush,
  }
}

const stepOver = () => new GatewayError('not_signed_in', 'This sign-in took too long or had too many wrong answers. Start again.')
const wrongFactor = () =>
  new GatewayError('invalid_credentials', 'This code or passkey is not valid. A code can be used once, within 30 seconds.')
