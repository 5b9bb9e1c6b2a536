/**
 * Conversations stored for clients of Responses: one sealed record per exchange, each continuing another, for thirty days. A large record
 * is sealed, written, read and opened in pieces, with a turn of the event loop in between.
 */

import type { Turn } from '#canonical/conversation'
import type { Clock } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import { nextTurn } from '#runtime/turns'
import { type Quotas, usualQuotas } from '#shared/console/quota'
import { GatewayError } from '#shared/errors'
import { parseExact } from '#shared/exact-numbers'
import { deleteResponse, findChain, findPiece, findResponse, insertResponse, sumResponses } from '#store/accounts/stored-responses'
import type { Store } from '#store/engine/store'
import { createStoredSums, type Stored, type StoredSums } from './stored-sums.ts'

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

/** A stored exchange as unparsed JSON. */
export interface StoredText extends Omit<StoredResponse, keyof Exchange> {
  /** In order; every piece has whole characters. */
  pieces: string[]
  /** Total characters. */
  characters: number
}

/** Stored conversations. */
export interface Conversations {
  /** Stores an exchange. Throws GatewayError `request_too_large` above 32 MiB. A second response with the same id changes nothing. */
  keep(tenant: string, id: string, previousId: string | undefined, exchange: Exchange): Promise<void>
  /** The same for the exchange's JSON. */
  keepText(tenant: string, id: string, previousId: string | undefined, json: Uint8Array): Promise<void>
  /** As `find`, unparsed. */
  findText(tenant: string, id: string): Promise<StoredText | undefined>
  /** As `load`, unparsed: the exchanges oldest first. */
  loadTexts(tenant: string, id: string): Promise<StoredText[] | undefined>
  /** A single exchange. Undefined when this tenant has none with this id. */
  find(tenant: string, id: string): Promise<StoredResponse | undefined>
  /**
   * The whole conversation up to this response, turns and items oldest first. Undefined also when a part of it is missing; throws
   * GatewayError `request_too_large` above 1,000 exchanges or 32 MiB.
   */
  load(tenant: string, id: string): Promise<StoredResponse | undefined>
  /** Rejects with `quota_exceeded` when the tenant's quota is used up, as far as this instance knows. */
  demandRoom(tenant: string): Promise<void>
  /** The tenant's stored exchanges, and their bytes as stored. */
  stored(tenant: string): Promise<Stored>
  /** Deletes an exchange; false when this tenant has none with this id. Later exchanges can still be found, but no longer loaded. */
  forget(tenant: string, id: string): Promise<boolean>
}

/** What `createConversations` needs. */
export interface ConversationParts {
  store: Store
  sealer: Sealer
  clock: Clock
  /** Quotas of each tenant; absent: the defaults. */
  quotas?(): Pick<Quotas, 'conversations' | 'conversationBytes'>
  /** What counts against them; absent: only the exchanges. */
  sums?: StoredSums
}

/** Milliseconds. */
export const lifetime = 30 * 24 * 3_600_000
/** Bytes of a conversation. */
export const mostBytes = 32 * 1024 * 1024
/** Bytes of a piece: about three milliseconds of work. */
const pieceBytes = 512 * 1024
/** Sealed text is base64. */
const chainBounds = { links: 1_000, bytes: Math.ceil(mostBytes / 3) * 4 }

const identity = (tenant: string, id: string, place = 0) => JSON.stringify(['vault response', tenant, id, ...(place === 0 ? [] : [place])])
/** Any other text is not an id of ours, and the database may reject it. */
const isId = (id: string) => /^[\x21-\x7e]{1,200}$/.test(id)
const now = (clock: Clock) => new Date(clock.now())

/** Conversations in this store. */
export function createConversations({ store, sealer, clock, quotas = () => usualQuotas, ...parts }: ConversationParts): Conversations {
  const sums = parts.sums ?? createStoredSums((tenant) => sumResponses(store, tenant, now(clock)), clock)

  /** Undefined for a record that was never finished. */
  async function opened(tenant: string, found: Omit<StoredText, keyof Pieces>, sealed: string, furtherBytes: number) {
    const { id, previousId, createdAt } = found
    const pieces = [sealer.open(sealed, identity(tenant, id))]
    for (let left = furtherBytes, place = 1; left > 0; place++) {
      await nextTurn()
      const piece = await findPiece(store, tenant, id, place)
      if (piece === undefined) return undefined
      pieces.push(sealer.open(piece, identity(tenant, id, place)))
      left -= piece.length
    }
    const characters = pieces.reduce((sum, { length }) => sum + length, 0)
    return { id, previousId, createdAt, pieces, characters }
  }

  async function findText(tenant: string, id: string): Promise<StoredText | undefined> {
    const row = isId(id) ? await findResponse(store, tenant, id, now(clock)) : undefined
    return row && opened(tenant, { ...row, previousId: row.previousId ?? undefined }, row.sealed, row.furtherBytes)
  }

  async function loadTexts(tenant: string, id: string): Promise<StoredText[] | undefined> {
    if (!isId(id)) return undefined
    const chain = await findChain(store, tenant, id, now(clock), chainBounds)
    if (chain.kind === 'too-large') throw tooLarge()
    if (chain.kind === 'missing') return undefined
    const links: StoredText[] = []
    for (const { sealed, bytes, ...link } of chain.links) {
      const found = { ...link, previousId: link.previousId ?? undefined }
      const text = sealed === null ? await findText(tenant, link.id) : await opened(tenant, found, sealed, bytes - sealed.length)
      if (!text) return undefined
      links.push(text)
      if (sealed === null) await nextTurn()
    }
    return links
  }

  async function keepText(tenant: string, id: string, previousId: string | undefined, json: Uint8Array): Promise<void> {
    if (json.length > mostBytes) throw tooLarge()
    const sealed: string[] = []
    for (const piece of inPieces(json)) {
      if (sealed.length > 0) await nextTurn()
      sealed.push(sealer.seal(piece, identity(tenant, id, sealed.length)))
    }
    const [first = '', ...further] = sealed
    const createdAt = now(clock)
    const expiresAt = new Date(createdAt.getTime() + lifetime)
    await insertResponse(store, { tenant, id, previousId: previousId ?? null, createdAt, expiresAt, sealed: first }, further)
    sums.added(
      tenant,
      sealed.reduce((sum, { length }) => sum + length, 0),
    )
  }

  return {
    keepText,
    findText,
    loadTexts,
    keep: (tenant, id, previousId, exchange) => keepText(tenant, id, previousId, encoder.encode(JSON.stringify(exchange))),
    async find(tenant, id) {
      const text = await findText(tenant, id)
      return text && readStored(text)
    },
    async load(tenant, id) {
      const links = (await loadTexts(tenant, id))?.map(readStored)
      const last = links?.at(-1)
      return links && last && { ...last, turns: links.flatMap(({ turns }) => turns), items: links.flatMap(({ items }) => items) }
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

type Pieces = Pick<StoredText, 'pieces' | 'characters'>

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The text in pieces of whole characters. */
export function* inPieces(utf8: Uint8Array): Generator<string> {
  for (let from = 0; from < utf8.length; ) {
    let to = Math.min(from + pieceBytes, utf8.length)
    // Bytes that continue a character.
    while (to < utf8.length && ((utf8[to] ?? 0) & 0xc0) === 0x80) to--
    yield decoder.decode(utf8.subarray(from, to))
    from = to
  }
}

/** The exchange, parsed. We sealed it with its identity, so it needs no validation. */
export function readStored({ pieces, characters: _, ...text }: StoredText): StoredResponse {
  return { ...(parseExact(pieces.join('')) as Exchange), ...text }
}

const full = (most: string) =>
  new GatewayError('quota_exceeded', `The quota for stored answers of a user is ${most}. Delete some, or send store: false.`, {
    param: 'store',
  })
const tooLarge = () => new GatewayError('request_too_large', 'The conversation is too large to be stored. Start a new one.')
