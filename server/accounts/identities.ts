/** Sign-in by an identity provider, and the identities of users. */

import { createThrottle } from '#accounts/guard/throttle'
import type { Identity } from '#accounts/identity/provider'
import type { Clock, Random } from '#runtime/clock'
import type { Actor } from '#shared/console/audit'
import type { IdentityRow } from '#shared/console/session'
import { GatewayError } from '#shared/errors'
import { note, onRecord } from '#store/accounts/audit'
import { deleteIdentity, findIdentity, insertIdentity, loadIdentitiesOf, touchIdentity } from '#store/accounts/identities'
import { createUser, loadUser, updateUser } from '#store/accounts/users'
import { sqlState, uniqueViolation } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import type { User } from './caller.ts'
import { type Directory, groupExists } from './directory.ts'
import { defaultGroup } from './groups.ts'
import { newRecord } from './keys.ts'
import { notFound } from './refusals.ts'
import type { Origin, Sessions, SignedIn } from './sessions.ts'
import { membership, newUser, writeUser } from './users.ts'

/** Users and their identities at identity providers. */
export interface Identities {
  /**
   * A session for the user with this identity, who is created at the first sign-in; users are never found by name or address. Where
   * the provider names groups, the user's groups become the existing ones among them. Throws `not_permitted` for a disabled user.
   */
  signInAs(identity: Identity, from?: Origin): Promise<SignedIn & { isNew: boolean }>
  /** Whether this identity is the user's. */
  isIdentityOf(identity: Identity, user: User): Promise<boolean>
  /**
   * Verifies an answer to the attempt with this `state` at the provider. Failures are counted by address: with too many forged answers
   * the provider would refuse everyone. Rejects as `ask` does, and with `too_many_attempts`.
   */
  confirmed(ask: () => Promise<Identity>, state: string, address: string): Promise<Identity>
  /** Adds the identity to a user, who has authenticated on both sides. Throws `name_taken` when it is another user's. */
  linkIdentity(user: User, identity: Identity, requestId?: string): Promise<void>
  /** The identities of a user, oldest first. */
  identitiesOf(user: User): Promise<IdentityRow[]>
  /** Throws `not_found`, and `still_in_use` when the user could no longer sign in. */
  unlinkIdentity(user: User & { requestId?: string }, id: string): Promise<void>
}

/** What `createIdentities` needs. */
export interface IdentitiesParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
  sessions: Pick<Sessions, 'begin'>
}

/** The actor of changes that follow the provider's claims. */
const theProvider = (requestId: string | undefined): Actor => ({
  id: 'provider',
  name: null,
  ...(requestId !== undefined && { requestId }),
})

const longestName = 100
/** How many names are tried before one with random digits. */
const namesTried = 20
/** How often a sign-in that collides with others is tried. */
const mostTries = 3

/** Identities over the store and the directory. */
export function createIdentities({ store, directory, clock, random, sessions }: IdentitiesParts): Identities {
  const guesses = createThrottle(clock)
  const rowOf = ({ issuer, subject, label }: Identity, userId: string) => {
    const { id, at } = newRecord(clock, random)
    return { id, issuer, subject, userId, label: label ?? null, createdAt: at, usedAt: at }
  }

  /** A name like the provider's, free as far as this instance knows. */
  function freeName(label: string | undefined, tries: number): string {
    const wanted =
      (label ?? '')
        .replace(/\p{Cc}/gu, '')
        .trim()
        .slice(0, longestName) || 'user'
    const names = Array.from({ length: namesTried }, (_, index) => (index === 0 ? wanted : `${wanted}-${index + 1}`))
    const free = tries > 1 ? undefined : names.find((name) => directory.userNamed(name) === undefined)
    return free ?? `${wanted}-${random.hex(4)}`
  }

  /** The groups of the claim that exist here; undefined where none of them does, or no claim is configured. */
  function groupsFrom({ groups }: Identity, before?: User) {
    if (groups === undefined) return undefined
    const [first = defaultGroup, ...others] = [...new Set(groups)].filter((name) => groupExists(directory, name))
    const all = [first, ...others]
    const group = before !== undefined && all.includes(before.group) ? before.group : first
    return membership({ group, groups: all }, undefined)
  }

  async function create(identity: Identity, by: Actor, tries: number): Promise<User> {
    const { id, at } = newRecord(clock, random)
    const user = { ...newUser(freeName(identity.label, tries), id, at), ...groupsFrom(identity) }
    await writeUser(store, by, 'create', id, async (store) => {
      await createUser(store, { user })
      await insertIdentity(store, rowOf(identity, id))
    })
    return known(id)
  }

  /** The user with this identity, created when there is none. Another instance may create the same one meanwhile, or take the name. */
  async function userOf(identity: Identity, by: Actor): Promise<{ user: User; isNew: boolean }> {
    for (let tries = 1; ; tries++) {
      const found = await findIdentity(store, identity.issuer, identity.subject)
      if (found !== undefined) {
        await touchIdentity(store, found.id, { usedAt: new Date(clock.now()), label: identity.label ?? null })
        return { user: await known(found.userId), isNew: false }
      }
      try {
        return { user: await create(identity, by, tries), isNew: true }
      } catch (thrown) {
        if (sqlState(thrown) !== uniqueViolation || tries >= mostTries) throw thrown
      }
    }
  }

  /** A user that another instance has just created is not in memory yet. */
  async function known(id: string): Promise<User> {
    const user = directory.users.get(id) ?? (await loadUser(store, id))
    if (user === undefined) throw notFound()
    return user
  }

  return {
    async signInAs(identity, from = {}) {
      const by = theProvider(from.requestId)
      const { user, isNew } = await userOf(identity, by)
      if (!user.enabled) throw new GatewayError('not_permitted', 'This account is disabled. Ask an administrator of this server.')
      const groups = user.managed === 'file' ? undefined : groupsFrom(identity, user)
      if (groups !== undefined) await writeUser(store, by, 'change', user.id, (store) => updateUser(store, user.id, groups))
      return { ...(await sessions.begin(user, 'provider', from)), isNew }
    },
    async isIdentityOf({ issuer, subject }, { id }) {
      return (await findIdentity(store, issuer, subject))?.userId === id
    },
    async confirmed(ask, state, address) {
      const guess = await guesses.attempt(state, address, async () => false)
      try {
        const identity = await ask()
        guess.succeeded()
        return identity
      } catch (thrown) {
        // An unreachable provider has not refused.
        if (thrown instanceof GatewayError && thrown.code === 'upstream_error') guess.undecided()
        throw thrown
      }
    },
    async linkIdentity(user, identity, requestId) {
      const found = await findIdentity(store, identity.issuer, identity.subject)
      if (found?.userId === user.id) return
      const taken = () => new GatewayError('name_taken', 'Another user of this server signs in with this identity.')
      if (found !== undefined) throw taken()
      const by = { id: user.id, name: user.name, ...(requestId !== undefined && { requestId }) }
      const after = { issuer: identity.issuer, label: identity.label ?? null }
      await onRecord(store, async (store) => {
        await insertIdentity(store, rowOf(identity, user.id))
        await note(store, by, { action: 'identity.link', target: user.id, name: user.name, after })
      }).catch((thrown: unknown) => {
        throw sqlState(thrown) === uniqueViolation ? taken() : thrown
      })
    },
    async identitiesOf(user) {
      const rows = await loadIdentitiesOf(store, user.id)
      return rows.map(({ id, issuer, label, createdAt, usedAt }) => ({
        id,
        issuer,
        label,
        at: createdAt.toISOString(),
        lastUsedAt: usedAt.toISOString(),
      }))
    },
    async unlinkIdentity(user, id) {
      const rows = await loadIdentitiesOf(store, user.id)
      if (!rows.some((row) => row.id === id)) throw notFound()
      const isLast = rows.length === 1 && directory.users.get(user.id)?.signsIn !== true
      if (isLast) throw new GatewayError('still_in_use', 'Without a password this is your only way to sign in.')
      const by = { id: user.id, name: user.name, ...(user.requestId !== undefined && { requestId: user.requestId }) }
      await onRecord(store, async (store) => {
        if (await deleteIdentity(store, user.id, id)) await note(store, by, { action: 'identity.unlink', target: user.id, name: user.name })
      })
    },
  }
}
