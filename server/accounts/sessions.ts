/** Console sessions. A session is an opaque token in a cookie; only its digest is stored, and it expires. */

import { networkOf } from '#accounts/guard/network'
import type { Clock, Random } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import type { SessionRow } from '#shared/console/session'
import { note, onRecord } from '#store/accounts/audit'
import { forgetNetworks, rememberNetwork } from '#store/accounts/known-networks'
import {
  deleteSession,
  deleteSessionsOf,
  deleteStaleSessions,
  insertSession,
  type SessionRecord,
  touchSessions,
} from '#store/accounts/sessions'
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
const longestAgent = 200

/** Where a request to sign in comes from. */
export interface Origin {
  /** IP address of the client. */
  address?: string
  /** Its User-Agent. */
  agent?: string | null
  requestId?: string
}

/** A new session. */
export interface SignedIn {
  user: User
  /** For the cookie; 256 bits, hexadecimal. Never stored. */
  token: string
}

/** Starts, finds, lists and ends sessions. */
export interface Sessions {
  /** A new session for a user who has just authenticated; their network counts as known from now on. */
  startSession(user: User, from?: Origin): Promise<SignedIn>
  /** Ends the session of this token, if there is one. */
  signOut(token: string | undefined, requestId?: string): Promise<void>
  /** The enabled user whose live session this is; undefined for anything else. Synchronous, from memory. */
  userOfSession(token: string | undefined): User | undefined
  /** Whether the session with this digest is still there and its user may use it. Counts as no use. */
  isLive(digest: string): boolean
  /** The live sessions of a user, newest first; `token` marks the current one. */
  sessionsOf(user: User, token: string | undefined): SessionRow[]
  /** Ends one session of this user. Throws `not_found` for another user's. */
  endSession(user: User & { requestId?: string }, id: string): Promise<void>
  /** Ends every session of a user, except that of the token `but`. */
  endSessionsOf(userId: string, but?: string): Promise<void>
  /** Writes when sessions were last used; deletes expired ones, and networks unused for long. Runs on a schedule. */
  sweepSessions(): Promise<void>
}

/** Sessions over the store and the directory. */
export function createSessions(parts: { store: Store; directory: Directory; clock: Clock; random: Random }): Sessions {
  const { store, directory, clock, random } = parts
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

  const end = (user: User, digest: string, requestId: string | undefined) =>
    onRecord(store, async (store) => {
      await deleteSession(store, digest)
      const by = { id: user.id, name: user.name, ...(requestId !== undefined && { requestId }) }
      await note(store, by, { action: 'session.end', target: user.id, name: user.name })
    })

  return {
    async startSession(user, { address, agent, requestId } = {}) {
      const token = random.hex(32)
      const now = new Date(clock.now())
      const from = { address: address ?? null, agent: agent?.slice(0, longestAgent) ?? null }
      const by = { id: user.id, name: user.name, ...(requestId !== undefined && { requestId }) }
      await onRecord(store, async (store) => {
        await insertSession(store, { digest: sha256Hex(token), userId: user.id, createdAt: now, usedAt: now, ...from })
        if (address !== undefined) await rememberNetwork(store, { userId: user.id, network: networkOf(address), at: now })
        await note(store, by, { action: 'session.start', target: user.id, name: user.name, after: from })
      })
      return { user, token }
    },
    async signOut(token, requestId) {
      const digest = token === undefined ? undefined : sha256Hex(token)
      const session = digest === undefined ? undefined : directory.sessions.get(digest)
      const user = session && directory.users.get(session.userId)
      if (session && user) await end(user, session.digest, requestId)
      // Perhaps another instance has just started it.
      else if (digest !== undefined) await deleteSession(store, digest)
    },
    userOfSession(token) {
      const session = token === undefined ? undefined : directory.sessions.get(sha256Hex(token))
      const user = ownerOf(session)
      if (session && user) uses.touch(session.digest, clock.now())
      return user
    },
    isLive: (digest) => ownerOf(directory.sessions.get(digest)) !== undefined,
    sessionsOf(user, token) {
      const current = token === undefined ? undefined : sha256Hex(token)
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
    async endSession(user, id) {
      const session = [...directory.sessions.all()].find(({ digest, userId }) => userId === user.id && idOf(digest) === id)
      if (session === undefined) throw notFound()
      await end(user, session.digest, user.requestId)
    },
    endSessionsOf: (userId, but) => deleteSessionsOf(store, userId, but === undefined ? undefined : sha256Hex(but)),
    async sweepSessions() {
      await uses.flush((seen) => touchSessions(store, seen))
      uses.keep((digest) => directory.sessions.get(digest) !== undefined)
      const now = clock.now()
      await deleteStaleSessions(store, new Date(now - idleMs), new Date(now - absoluteMs))
      await forgetNetworks(store, new Date(now - knownMs))
    },
  }
}

/** The public id of a session: 96 bits of the digest, from which neither the digest nor the token can be found. */
const idOf = (digest: string): string => digest.slice(0, 24)
