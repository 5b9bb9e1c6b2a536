/**
 * Conversations that clients of Responses create and fill themselves. Per tenant, sealed item by item, with a turn of the event loop in
 * between; kept until thirty days after the last change. Knows no wire field but `id`.
 */
import { conversationMark, isKeptConversation, type KeptItem, type NewItem } from '#canonical/kept-conversation'
import type { Clock, Random } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import { nextTurn } from '#runtime/turns'
import { GatewayError } from '#shared/errors'
import {
  appendItems,
  changeItemConversation,
  deleteItem,
  deleteItemConversation,
  findItem,
  findItemConversation,
  firstPieces,
  furtherPiece,
  type ItemConversationRecord,
  type ItemLine,
  insertItemConversation,
  listItems,
} from '#store/accounts/kept-items'
import type { Store } from '#store/engine/store'
import { inPieces, lifetime, mostBytes, type StoredText } from './stored-conversations.ts'
import type { StoredSums } from './stored-sums.ts'

/** A conversation without its items. */
export interface ItemConversation {
  id: string
  createdAt: Date
  /** As set by its client. */
  metadata: unknown
}

/** Which items of a conversation are listed. */
export interface ItemPage {
  isOldestFirst: boolean
  /** The id of the item before the first. */
  after?: string
  limit: number
}

/** Conversations by tenant and id. */
export interface ItemConversations {
  create(tenant: string, metadata: unknown): Promise<ItemConversation>
  /** Undefined if the tenant has none of this id; the same for the other methods. */
  find(tenant: string, id: string): Promise<ItemConversation | undefined>
  change(tenant: string, id: string, metadata: unknown): Promise<ItemConversation | undefined>
  /** False if the tenant has none of this id. */
  remove(tenant: string, id: string): Promise<boolean>
  /** Adds items, all or none. Rejects with `not_found`, and `request_too_large` above 10,000 items or 32 MiB. */
  append(tenant: string, id: string, items: readonly NewItem[]): Promise<KeptItem[]>
  /** A page of at most 8 MiB, but at least one item. Rejects with `invalid_value` for an unknown `after`. */
  page(tenant: string, id: string, page: ItemPage): Promise<{ items: KeptItem[]; hasMore: boolean }>
  item(tenant: string, id: string, item: string): Promise<KeptItem | undefined>
  removeItem(tenant: string, id: string, item: string): Promise<boolean>
  /** All of it as one exchange, unparsed; undefined if there is none. Rejects with `request_too_large` above 32 MiB. */
  load(tenant: string, id: string): Promise<StoredText | undefined>
}

/** What `createItemConversations` needs. */
export interface ItemConversationParts {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Pick<Random, 'hex'>
  sums: StoredSums
}

const mostItems = 10_000
/** Maximum bytes of sealed text: of a page, and of one statement's result. */
const pageBytes = 8 * 1024 * 1024
const lotBytes = 1024 * 1024
/** Sealed text is base64. */
const sealedMost = Math.ceil(mostBytes / 3) * 4

const identity = (tenant: string, ...more: (string | number)[]) => JSON.stringify(['item conversation', tenant, ...more])
/** Any other text is not an id of an item, and the database may reject it. */
const isItem = (id: string) => /^[\x21-\x7e]{1,128}$/.test(id)
const encoder = new TextEncoder()

/** Conversations in this store. */
export function createItemConversations({ store, sealer, clock, random, sums }: ItemConversationParts): ItemConversations {
  const now = () => new Date(clock.now())
  const until = () => new Date(clock.now() + lifetime)

  const opened = ({ tenant, id, createdAt, sealed }: ItemConversationRecord): ItemConversation => ({
    ...{ id, createdAt },
    metadata: JSON.parse(sealer.open(sealed, identity(tenant, id))),
  })

  function named({ id, prefix, json }: NewItem): KeptItem {
    const given = id !== undefined && isItem(id) ? id : prefix + random.hex(24)
    return { id: given, json: `{"id":${JSON.stringify(given)},${json.slice(1)}` }
  }

  /** The contents of these items, in order, as pieces of text. */
  async function* texts(tenant: string, id: string, lines: readonly ItemLine[]): AsyncGenerator<{ id: string; pieces: string[] }> {
    for (let from = 0; from < lines.length; ) {
      let to = from
      for (let bytes = 0; to < lines.length && (to === from || bytes < lotBytes); to++) bytes += lines[to]?.bytes ?? 0
      const lot = lines.slice(from, to)
      const places = lot.map(({ place }) => place)
      const first = new Map((await firstPieces(store, tenant, id, places)).map((row) => [row.place, row.sealed]))
      for (const { place, item, pieces } of lot) {
        const sealed = first.get(place)
        // It was deleted in between.
        if (sealed === undefined) continue
        const text = [sealer.open(sealed, identity(tenant, id, item, 0))]
        for (let piece = 1; piece < pieces; piece++) {
          await nextTurn()
          const more = await furtherPiece(store, tenant, id, { place, piece })
          if (more !== undefined) text.push(sealer.open(more, identity(tenant, id, item, piece)))
        }
        yield { id: item, pieces: text }
      }
      from = to
      await nextTurn()
    }
  }

  async function kept(tenant: string, id: string, lines: readonly ItemLine[]): Promise<KeptItem[]> {
    const items: KeptItem[] = []
    for await (const { id: item, pieces } of texts(tenant, id, lines)) items.push({ id: item, json: pieces.join('') })
    return items
  }

  const find = async (tenant: string, id: string) => (isKeptConversation(id) ? findItemConversation(store, tenant, id, now()) : undefined)

  const all = (tenant: string, id: string) => listItems(store, tenant, id, { isOldestFirst: true, most: mostItems + 1 })

  return {
    async create(tenant, metadata) {
      const id = conversationMark + random.hex(16)
      const sealed = sealer.seal(JSON.stringify(metadata), identity(tenant, id))
      const row = { tenant, id, createdAt: now(), expiresAt: until(), places: 0, sealed }
      await insertItemConversation(store, row)
      sums.added(tenant, 0)
      return opened(row)
    },
    async find(tenant, id) {
      const row = await find(tenant, id)
      return row && opened(row)
    },
    async change(tenant, id, metadata) {
      if (!isKeptConversation(id)) return undefined
      const sealed = sealer.seal(JSON.stringify(metadata), identity(tenant, id))
      const row = await changeItemConversation(store, tenant, id, { sealed, expiresAt: until() }, now())
      return row && opened(row)
    },
    async remove(tenant, id) {
      const isGone = isKeptConversation(id) && (await deleteItemConversation(store, tenant, id, now()))
      if (isGone) sums.removed(tenant)
      return isGone
    },
    async append(tenant, id, items) {
      if (!(await find(tenant, id))) throw noConversation()
      const added = items.map(named)
      const sealed = []
      let bytes = 0
      for (const { id: item, json } of added) {
        const pieces: string[] = []
        for (const piece of inPieces(encoder.encode(json))) {
          if (pieces.length > 0) await nextTurn()
          const text = sealer.seal(piece, identity(tenant, id, item, pieces.length))
          pieces.push(text)
          bytes += text.length
        }
        sealed.push({ item, sealed: pieces })
      }
      const before = (await all(tenant, id)).reduce((sum, line) => sum + line.bytes, 0)
      if (before + bytes > sealedMost) throw tooLarge()
      if (!(await appendItems(store, { tenant, id }, sealed, { now: now(), until: until(), most: mostItems }))) throw tooLarge()
      sums.removed(tenant)
      return added
    },
    async page(tenant, id, { isOldestFirst, after, limit }) {
      const last = after === undefined ? undefined : isItem(after) && (await findItem(store, tenant, id, after))
      if (last === false || (after !== undefined && !last)) {
        throw new GatewayError('invalid_value', 'The parameter `after` is not the id of an item in this list.', { param: 'after' })
      }
      const lines = await listItems(store, tenant, id, { isOldestFirst, most: limit + 1, ...(last && { after: last.place }) })
      const shown: ItemLine[] = []
      for (let bytes = 0; shown.length < Math.min(limit, lines.length); ) {
        const line = lines[shown.length]
        bytes += line?.bytes ?? 0
        if (!line || (shown.length > 0 && bytes > pageBytes)) break
        shown.push(line)
      }
      return { items: await kept(tenant, id, shown), hasMore: lines.length > shown.length }
    },
    async item(tenant, id, item) {
      const line = (await find(tenant, id)) && isItem(item) ? await findItem(store, tenant, id, item) : undefined
      return line && (await kept(tenant, id, [line]))[0]
    },
    async removeItem(tenant, id, item) {
      const line = (await find(tenant, id)) && isItem(item) ? await findItem(store, tenant, id, item) : undefined
      if (!line || !(await deleteItem(store, tenant, id, line.place))) return false
      sums.removed(tenant)
      return true
    },
    async load(tenant, id) {
      const row = await find(tenant, id)
      if (!row) return undefined
      const lines = await all(tenant, id)
      if (lines.reduce((sum, { bytes }) => sum + bytes, 0) > sealedMost) throw tooLarge()
      const pieces = ['{"turns":[],"response":null,"items":[']
      for await (const item of texts(tenant, id, lines)) pieces.push(...(pieces.length > 1 ? [','] : []), ...item.pieces)
      pieces.push(']}')
      const characters = pieces.reduce((sum, { length }) => sum + length, 0)
      return { id, previousId: undefined, createdAt: row.createdAt, pieces, characters }
    },
  }
}

/** For a conversation that this tenant does not have. */
export const noConversation = () => new GatewayError('not_found', 'There is no conversation with this id.', { param: 'conversation' })
const tooLarge = () =>
  new GatewayError('request_too_large', 'A conversation may have at most 10,000 items and 32 MiB. Start a new one.', {
    param: 'conversation',
  })
