/**
 * Console sessions. A session is an opaque token in a cookie; only its digest is stored, and it expires. With each proof of its user's
 * identity it gets another token; it is identified, also for its running requests, by the digest of its first one.
 */

import type { Factors } from '#accounts/factors/factors'
import { networkOf } from '#accounts/guard/network'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { sha256Hex } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import type { FactorMethods, SessionRow } from '#shared/console/session'
import type { SecondFactorRule } from '#shared/console/settings'
import type { SignInWay } from '#shared/ids'
import { note, onRecord } from '#store/accounts/audit'
import { forgetNetworks, rememberNetwork } from '#store/accounts/known-networks'
import {
  deleteEverySession,
  deleteSession,
  deleteSessionsOf,
  deleteSessionWithToken,
  deleteStaleSessions,
  insertSession,
  proveSession,
  type SessionRecord,
  touchSessions,
} from '#store/accounts/sessions'
import { deleteEveryStep, deleteStaleSteps, deleteStepsOf, insertStep } from '#store/accounts/sign-in-steps'
import type { Store } from '#store/engine/store'
import type { User } from './caller.ts'
import type { Directory } from './directory.ts'
import { createLastUsed } from './last-used.ts'
import { notFound } from './refusals.ts'

const day = 24 * 3600_000
/** A session ends after this much idle time, in milliseconds. */
export const idleMs = 7 * day
/** A session ends this long after sign-in however much it is used, in milliseconds. */
export const absoluteMs = 30 * day
/** A network counts as known for this long after the last sign-in from it, in milliseconds. */
const knownMs = 90 * day
/** After this many milliseconds since the last proof, operations on secrets and money require another one. */
export const freshMs = 15 * 60_000
/** How long a sign-in waits for the second factor, in milliseconds. */
const stepMs = 10 * 60_000
const longestAgent = 200

/** Origin of a sign-in request. */
export interface Origin {
  /** IP address of the client. */
  address?: string
  /** Its User-Agent. */
  agent?: string | null
  requestId?: string
}

/** A new session, or a sign-in that needs the second factor. */
export interface SignedIn {
  user: User
  /** For the cookie; 256 bits, hexadecimal. Never stored. */
  token: string
  /** Methods to continue the sign-in with. There is no session yet: the token is that of the step. */
  awaiting?: FactorMethods
}

/** Who must use a second factor. */
export interface SecondFactorPolicy {
  required: SecondFactorRule
  /** Whether it is also required after a sign-in by the identity provider. */
  afterProvider: boolean
}

/** Starts, finds, lists and ends sessions. */
export interface Sessions {
  /** A new session for a user who has just authenticated; their network counts as known from now on. */
  startSession(user: User, from?: Origin, via?: SignInWay): Promise<SignedIn>
  /** Continues a sign-in whose first proof was correct: a session, or the step to the second factor. Every sign-in passes here. */
  begin(user: User, via: SignInWay, from?: Origin): Promise<SignedIn>
  /** Ends the session of this token, if there is one. */
  signOut(token: string | undefined, requestId?: string): Promise<void>
  /**
   * The enabled user whose live session this is; undefined for anything else, and for a session that waits until its user has the required
   * second factor. Synchronous, from memory.
   */
  userOfSession(token: string | undefined): User | undefined
  /** The user of a session that is live, or waits for that. */
  userEnrolling(token: string | undefined): User | undefined
  /** Whether the installation requires a second factor of the user of this session. */
  requiresFactor(token: string | undefined): boolean
  /** Whether its user proved their identity within the last quarter of an hour. */
  isFresh(token: string | undefined): boolean
  /**
   * Records such a proof for the session of this token. Resolves to the token that replaces it at once; undefined when the session is over,
   * or another proof was first.
   */
  proved(token: string, requestId?: string): Promise<string | undefined>
  /** The permanent name of the session, or of the sign-in step, of this token; it may not exist. */
  nameOf(token: string): string
  /** Whether the session of this name still exists and its user may use it. Does not count as a use. */
  isLive(name: string): boolean
  /** The live sessions of a user, newest first; `token` marks the current one. */
  sessionsOf(user: User, token: string | undefined): SessionRow[]
  /** Ends one session of this user. Throws `not_found` for another user's. */
  endSession(by: Actor, user: User, id: string): Promise<void>
  /** Ends every session of a user, except that of the token `but`. */
  endSessionsOf(userId: string, but?: string): Promise<void>
  /** Ends all users' sessions and pending sign-ins, except the session of the token `but`. Resolves to the number of sessions. */
  endEverySession(by: Actor, but: string | undefined): Promise<number>
  /** Writes when sessions were last used; deletes expired ones, and networks unused for long. Runs on a schedule. */
  sweepSessions(): Promise<void>
}

/** What `createSessions` needs. */
export interface SessionsParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
  /** Absent: no second factors. */
  factors?: Factors | undefined
  policy(): SecondFactorPolicy
  /** Logs sign-ins with their origin. */
  log: Pick<Log, 'info'>
}

/** Sessions over the store and the directory. */
export function createSessions(parts: SessionsParts): Sessions {
  const { store, directory, clock, random, factors, policy, log } = parts
  const uses = createLastUsed()

  const lastUse = (session: SessionRecord) => Math.max(session.usedAt.getTime(), uses.last(session.digest) ?? 0)

  /** The user of a session that has not expired. */
  function ownerOf(session: SessionRecord | undefined): User | undefined {
    if (session === undefined) return undefined
    const now = clock.now()
    if (now >= lastUse(session) + idleMs || now >= session.createdAt.getTime() + absoluteMs) return undefined
    const user = directory.users.get(session.userId)
    return user?.enabled ? user : undefined
  }

  const sessionOf = (token: string | undefined) => (token === undefined ? undefined : directory.sessionWithToken(sha256Hex(token)))
  const nameOf = (token: string) => sessionOf(token)?.digest ?? sha256Hex(token)

  function asksFactor(user: User, via: SignInWay | null): boolean {
    const { required, afterProvider } = policy()
    if (via === 'provider' && !afterProvider) return false
    return required === 'everybody' || (required === 'administrators' && user.role === 'admin')
  }

  /** The user of a usable session: not one that must still enrol. */
  function userOf(session: SessionRecord | undefined): User | undefined {
    const user = ownerOf(session)
    return user && session && asksFactor(user, session.via) && factors?.has(user.id) === false ? undefined : user
  }

  const end = (by: Actor, user: User, digest: string) =>
    onRecord(store, async (store) => {
      await deleteSession(store, digest)
      await note(store, by, { action: 'session.end', target: user.id, name: user.name })
    })

  async function startSession(user: User, { address, agent, requestId }: Origin = {}, via: SignInWay = 'password'): Promise<SignedIn> {
    const token = random.hex(32)
    const now = new Date(clock.now())
    const from = { address: address ?? null, agent: agent?.slice(0, longestAgent) ?? null }
    const by = selfOf(user, requestId)
    const row = { digest: sha256Hex(token), tokenDigest: null, userId: user.id, createdAt: now, usedAt: now, ...from, via, provedAt: null }
    await onRecord(store, async (store) => {
      await insertSession(store, row)
      if (address !== undefined) await rememberNetwork(store, { userId: user.id, network: networkOf(address), at: now })
      await note(store, by, { action: 'session.start', target: user.id, name: user.name, after: from })
    })
    log.info({ user: user.name, address: from.address, via }, 'signed in')
    return { user, token }
  }

  return {
    startSession,
    async begin(user, via, from) {
      // A passkey with user verification counts as both factors; a provider may have required its own.
      const isWhole = via === 'passkey' || (via === 'provider' && !policy().afterProvider)
      const methods = isWhole ? undefined : await factors?.methodsOf(user.id)
      if (methods === undefined) return startSession(user, from, via)
      const token = random.hex(32)
      const expiresAt = new Date(clock.now() + stepMs)
      await insertStep(store, { digest: sha256Hex(token), userId: user.id, via, tries: 0, expiresAt })
      return { user, token, awaiting: methods }
    },
    async signOut(token, requestId) {
      const session = sessionOf(token)
      const user = session && directory.users.get(session.userId)
      if (session && user) await end(selfOf(user, requestId), user, session.digest)
      // Another instance may have just started it.
      else if (token !== undefined) await deleteSessionWithToken(store, sha256Hex(token))
    },
    userOfSession(token) {
      const session = sessionOf(token)
      const user = userOf(session)
      if (session && user) uses.touch(session.digest, clock.now())
      return user
    },
    userEnrolling: (token) => ownerOf(sessionOf(token)),
    requiresFactor(token) {
      const session = sessionOf(token)
      const user = ownerOf(session)
      return user !== undefined && session !== undefined && asksFactor(user, session.via)
    },
    isFresh(token) {
      const session = sessionOf(token)
      return session !== undefined && clock.now() < (session.provedAt ?? session.createdAt).getTime() + freshMs
    },
    async proved(token, requestId) {
      const session = sessionOf(token)
      const user = ownerOf(session)
      if (session === undefined || user === undefined) return undefined
      const by = selfOf(user, requestId)
      const next = random.hex(32)
      const change = { before: sha256Hex(token), tokenDigest: sha256Hex(next), provedAt: new Date(clock.now()) }
      return onRecord(store, async (store) => {
        if (!(await proveSession(store, session.digest, change))) return undefined
        await note(store, by, { action: 'session.prove', target: user.id, name: user.name })
        return next
      })
    },
    nameOf,
    isLive: (name) => userOf(directory.sessions.get(name)) !== undefined,
    sessionsOf(user, token) {
      const current = sessionOf(token)?.digest
      return [...directory.sessions.all()]
        .filter((session) => session.userId === user.id && ownerOf(session))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
        .map((session) => ({
          id: idOf(session.digest),
          at: session.createdAt.toISOString(),
          lastSeenAt: new Date(lastUse(session)).toISOString(),
          address: session.address,
          agent: session.agent,
          current: session.digest === current,
        }))
    },
    async endSession(by, user, id) {
      const session = [...directory.sessions.all()].find(({ digest, userId }) => userId === user.id && idOf(digest) === id)
      if (session === undefined) throw notFound()
      await end(by, user, session.digest)
    },
    async endSessionsOf(userId, but) {
      await deleteSessionsOf(store, userId, but === undefined ? undefined : nameOf(but))
      await deleteStepsOf(store, userId)
    },
    endEverySession: (by, but) =>
      onRecord(store, async (store) => {
        const count = await deleteEverySession(store, but === undefined ? undefined : nameOf(but))
        await deleteEveryStep(store)
        await note(store, by, { action: 'session.endAll', target: 'everybody', name: 'everybody', after: { count } })
        return count
      }),
    async sweepSessions() {
      await uses.flush((seen) => touchSessions(store, seen))
      uses.keep((digest) => directory.sessions.get(digest) !== undefined)
      const now = clock.now()
      await deleteStaleSessions(store, new Date(now - idleMs), new Date(now - absoluteMs))
      await deleteStaleSteps(store, new Date(now))
      await factors?.sweep()
      await forgetNetworks(store, new Date(now - knownMs))
    },
  }
}

/** A user as the actor on their own session. */
const selfOf = ({ id, name }: User, requestId: string | undefined): Actor => ({ id, name, ...(requestId !== undefined && { requestId }) })

/** The public id of a session: 96 bits of the digest, from which neither the digest nor the token can be derived. */
const idOf = (digest: string): string => digest.slice(0, 24)
