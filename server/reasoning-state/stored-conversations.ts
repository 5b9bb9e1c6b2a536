/** Conversations stored for clients of Responses: one sealed record per exchange, each continuing another, for thirty days. */
import type { Turn } from '#canonical/conversation'
import type { Clock } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import { nextTurn } from '#runtime/turns'
import { type Quotas, usualQuotas } from '#shared/console/quota'
import { GatewayError } from '#shared/errors'
import {
  deleteResponse,
  findChain,
  findResponse,
  insertResponse,
  type ResponseRecord,
  sumResponses,
} from '#store/accounts/stored-responses'
import type { Store } from '#store/engine/store'
import { createStoredSums, type Stored } from './stored-sums.ts'

/** The content of one exchange, or of all exchanges of a conversation. */
export interface Exchange {
  /** The turns of question and answer, with state as its makers sent it. */
  turns: Turn[]
  /** The same as wire items. */
  items: unknown[]
  /** The answer as the client got it. */
  response: unknown
}

/** A stored exchange. */
export interface StoredResponse extends Exchange {
  id: string
  previousId: string | undefined
  createdAt: Date
}

/** Stored conversations. */
export interface Conversations {
  /** Stores an exchange. Throws GatewayError `request_too_large` above 32 MiB. A second response with the same id changes nothing. */
  keep(tenant: string, id: string, previousId: string | undefined, exchange: Exchange): Promise<void>
  /** A single exchange. Undefined when this tenant has none with this id. */
  find(tenant: string, id: string): Promise<StoredResponse | undefined>
  /**
   * The whole conversation up to this response, turns and items oldest first. Undefined also when a part of it is missing; throws
   * GatewayError `request_too_large` above 1,000 exchanges or 32 MiB.
   */
  load(tenant: string, id: string): Promise<StoredResponse | undefined>
  /** Rejects with `quota_exceeded` when the tenant has stored as much as it may, as far as this instance knows. */
  demandRoom(tenant: string): Promise<void>
  /** What the tenant has stored, in exchanges and in bytes as stored. */
  stored(tenant: string): Promise<Stored>
  /** Deletes an exchange; false when this tenant has none with this id. Later exchanges can still be found, but no longer loaded. */
  forget(tenant: string, id: string): Promise<boolean>
}

/** What `createConversations` needs. */
export interface ConversationParts {
  store: Store
  sealer: Sealer
  clock: Clock
  /** Quotas of each tenant; those that are usual when absent. */
  quotas?(): Pick<Quotas, 'conversations' | 'conversationBytes'>
}

/** Milliseconds. */
const lifetime = 30 * 24 * 3_600_000
const mostBytes = 32 * 1024 * 1024
/** Characters of a record after which others have their turn. */
const largeRecord = 256 * 1024
/** Sealed text is base64. */
const chainBounds = { links: 1_000, bytes: Math.ceil(mostBytes / 3) * 4 }

const identity = (tenant: string, id: string) => JSON.stringify(['vault response', tenant, id])
/** Anything else cannot be an id of ours, and the database may reject it. */
const isId = (id: string) => /^[\x21-\x7e]{1,200}$/.test(id)
const now = (clock: Clock) => new Date(clock.now())

/** Conversations in this store. */
export function createConversations({ store, sealer, clock, quotas = () => usualQuotas }: ConversationParts): Conversations {
  const sums = createStoredSums((tenant) => sumResponses(store, tenant, now(clock)), clock)

  function opened(tenant: string, { id, previousId, createdAt, sealed }: ResponseRecord): StoredResponse {
    // Sealed by `keep` with this identity, so it needs no validation.
    const exchange = JSON.parse(sealer.open(sealed, identity(tenant, id))) as Exchange
    return { ...exchange, id, previousId: previousId ?? undefined, createdAt }
  }

  return {
    async keep(tenant, id, previousId, exchange) {
      const text = JSON.stringify(exchange)
      if (Buffer.byteLength(text) > mostBytes) throw tooLarge()
      const createdAt = now(clock)
      const expiresAt = new Date(createdAt.getTime() + lifetime)
      const sealed = sealer.seal(text, identity(tenant, id))
      await insertResponse(store, { tenant, id, previousId: previousId ?? null, createdAt, expiresAt, sealed })
      sums.added(tenant, sealed.length)
    },
    async find(tenant, id) {
      const row = isId(id) ? await findResponse(store, tenant, id, now(clock)) : undefined
      return row && opened(tenant, row)
    },
    async load(tenant, id) {
      if (!isId(id)) return undefined
      const chain = await findChain(store, tenant, id, now(clock), chainBounds)
      if (chain.kind === 'too-large') throw tooLarge()
      if (chain.kind === 'missing') return undefined
      const links: StoredResponse[] = []
      for (const row of chain.links) {
        links.push(opened(tenant, row))
        if (row.sealed.length > largeRecord) await nextTurn()
      }
      const last = links.at(-1)
      return last && { ...last, turns: links.flatMap(({ turns }) => turns), items: links.flatMap(({ items }) => items) }
    },
    async demandRoom(tenant) {
      const { count, bytes } = await sums.of(tenant)
      const { conversations, conversationBytes } = quotas()
      if (count >= conversations) throw full(`${conversations} answers`)
      if (bytes >= conversationBytes) throw full(`${conversationBytes} bytes`)
    },
    stored: sums.of,
    async forget(tenant, id) {
      const gone = isId(id) && (await deleteResponse(store, tenant, id, now(clock)))
      if (gone) sums.removed(tenant)
      return gone
    },
  }
}

const full = (most: string) =>
  new GatewayError('quota_exceeded', `The quota for stored answers of a user is ${most}. Delete some, or send store: false.`, {
    param: 'store',
  })
const tooLarge = () => new GatewayError('request_too_large', 'The conversation is too large to be stored. Start a new one.')
