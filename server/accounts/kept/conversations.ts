/**
 * Conversations of the playground on the server, sealed: those that a user stores here, and copies that anyone with the link may read.
 * Links work only while an administrator allows them and their owner is enabled. Both count towards the user's quotas.
 */
import type { User } from '#accounts/caller'
import type { Clock, Random } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import type { Quotas } from '#shared/console/quota'
import type { KeptConversation, KeptRow, NewShare, SharedConversation, ShareRow } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { audited } from '#store/accounts/audit'
import {
  deleteKept,
  deleteShare,
  findKept,
  findShare,
  insertShare,
  loadKept,
  loadShares,
  putKept,
  type ShareRecord,
  sumConversations,
  sweepShares,
} from '#store/accounts/conversations'
import type { Store } from '#store/engine/store'

/** Amount stored. */
interface Stored {
  count: number
  bytes: number
}

/** Conversations of users. Throws GatewayError. */
export interface UserConversations {
  kept(user: User): Promise<KeptRow[]>
  /** Throws `not_found`. */
  read(user: User, id: string): Promise<KeptConversation>
  /** Stores it, unless a newer version is stored. Throws `quota_exceeded`. */
  keep(user: User, id: string, conversation: KeptConversation): Promise<void>
  forget(user: User, id: string): Promise<void>
  /** The links that the user created, whether they work now or not. */
  shares(user: User): Promise<ShareRow[]>
  /** Throws `not_permitted` and `quota_exceeded`. */
  share(by: Actor & User, fields: NewShare): Promise<ShareRow>
  unshare(by: Actor & User, id: string): Promise<void>
  /** Throws `not_found` for a link that has ended, never existed, or whose owner is disabled, and while links are not allowed. */
  shared(id: string): Promise<SharedConversation>
  /** What the user has stored. */
  stored(userId: string): Promise<Stored>
  /** Deletes copies whose link has ended. */
  sweep(): Promise<void>
}

/** What `createUserConversations` needs. */
export interface ConversationParts {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Random
  /** Whether links are allowed now. */
  sharing(): boolean
  quotas(): Pick<Quotas, 'conversations' | 'conversationBytes'>
  /** The user's other data that counts towards the same quotas. */
  alsoStored(userId: string): Promise<Stored>
  isEnabled(userId: string): boolean
}

const day = 86_400_000
const keptIdentity = (userId: string, id: string) => JSON.stringify(['kept conversation', userId, id])
const sharedIdentity = (id: string) => JSON.stringify(['shared conversation', id])
/** Anything else cannot be one of our ids, and the database may reject it. */
const isId = (id: string) => /^[\w-]{1,64}$/.test(id)
const notThere = () => new GatewayError('not_found', 'There is no such conversation.')

/** Conversations in this store. */
export function createUserConversations(parts: ConversationParts): UserConversations {
  const { store, sealer, clock, random } = parts
  const now = () => new Date(clock.now())
  const rowOf = ({ id, title, createdAt, expiresAt }: Omit<ShareRecord, 'sealed'>): ShareRow => ({
    ...{ id, title },
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  })

  async function stored(userId: string): Promise<Stored> {
    const [here, elsewhere] = await Promise.all([sumConversations(store, userId, now()), parts.alsoStored(userId)])
    return { count: here.count + elsewhere.count, bytes: here.bytes + elsewhere.bytes }
  }

  /** `freed`: what a write replaces. */
  async function demandRoom(userId: string, bytes: number, freed: Stored): Promise<void> {
    const { conversations, conversationBytes } = parts.quotas()
    const now = await stored(userId)
    const full =
      now.count - freed.count + 1 > conversations
        ? `The quota for stored conversations of a user is ${conversations}.`
        : now.bytes - freed.bytes + bytes > conversationBytes
          ? `The quota for the size of stored conversations of a user is ${conversationBytes} bytes.`
          : undefined
    if (full) throw new GatewayError('quota_exceeded', `${full} Delete some, or ask an administrator for more.`)
  }

  function demandSharing(): void {
    if (!parts.sharing())
      throw new GatewayError('not_permitted', 'Links to conversations are not allowed here. An administrator can allow them.')
  }

  return {
    async kept(user) {
      const rows = await loadKept(store, user.id)
      return rows.map(({ id, changedAt, bytes }) => ({ id, changedAt: changedAt.toISOString(), bytes }))
    },
    async read(user, id) {
      const row = isId(id) ? await findKept(store, user.id, id) : undefined
      if (row === undefined) throw notThere()
      return { changedAt: row.changedAt.toISOString(), text: sealer.open(row.sealed, keptIdentity(user.id, id)) }
    },
    async keep(user, id, { changedAt, text }) {
      if (!isId(id)) throw notThere()
      const sealed = sealer.seal(text, keptIdentity(user.id, id))
      const before = (await loadKept(store, user.id)).find((row) => row.id === id)
      await demandRoom(user.id, sealed.length, before ? { count: 1, bytes: before.bytes } : { count: 0, bytes: 0 })
      await putKept(store, { userId: user.id, id, changedAt: new Date(changedAt), bytes: sealed.length, sealed })
    },
    async forget(user, id) {
      if (isId(id)) await deleteKept(store, user.id, id)
    },
    async shares(user) {
      return (await loadShares(store, user.id, now())).map(rowOf)
    },
    async share(by, { title, text, days }) {
      demandSharing()
      // 22 characters of base62 are 131 bits.
      const id = random.base62(22)
      const sealed = sealer.seal(text, sharedIdentity(id))
      await demandRoom(by.id, sealed.length, { count: 0, bytes: 0 })
      const createdAt = now()
      const row: ShareRecord = {
        ...{ id, title, sealed, createdAt },
        userId: by.id,
        expiresAt: new Date(createdAt.getTime() + days * day),
        bytes: sealed.length,
      }
      await audited(store, by, { action: 'share.create', target: noteOf(id) }, looksAt(id), (store) => insertShare(store, row))
      return rowOf(row)
    },
    async unshare(by, id) {
      if (!isId(id)) return
      await audited(store, by, { action: 'share.remove', target: noteOf(id) }, looksAt(id), (store) => deleteShare(store, by.id, id))
    },
    async shared(id) {
      const row = parts.sharing() && isId(id) ? await findShare(store, id, now()) : undefined
      if (row === undefined || !parts.isEnabled(row.userId)) throw notThere()
      const { title, createdAt, expiresAt } = rowOf(row)
      return { title, createdAt, expiresAt, text: sealer.open(row.sealed, sharedIdentity(id)) }
    },
    stored,
    sweep: () => sweepShares(store, now()),
  }

  /** What the audit trail may contain: whoever has the whole id can read the conversation. */
  function looksAt(id: string) {
    return async (store: Store) => {
      const row = await findShare(store, id, now())
      return row && { title: row.title, expiresAt: row.expiresAt, userId: row.userId }
    }
  }
}

/** The first characters of a link's id, for the audit trail. */
const noteOf = (id: string): string => id.slice(0, 6)
