/**
 * Texts by tenant and name: in bounded memory immediately, in the database a little later, so that the next request finds them on any
 * instance. Use extends their life; otherwise they expire after an hour, or the given time.
 */
import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { type Sealer, sha256Hex } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { type RecollectionRecord, readRecollections, writeRecollections } from '#store/accounts/reasoning-state'
import type { Store } from '#store/engine/store'

/** What `createMemory` needs. */
export interface MemoryParts {
  store: Store
  sealer: Sealer
  clock: Clock
  log: Log
}

/** Limits of memory. */
export interface Bounds {
  entries: number
  /** Maximum characters of all texts in memory, and of one. */
  characters: number
  charactersEach: number
  /** What one tenant may add per hour. */
  ofTenant: { entries: number; characters: number }
}

/** Hundreds of calls a second: more would flood the database. */
const ofTenant = { entries: 1_000_000, characters: 1024 * 1024 * 1024 }
const defaultBounds: Bounds = { entries: 50_000, characters: 64 * 1024 * 1024, charactersEach: 1024 * 1024, ofTenant }

/** The texts. */
export interface Memory {
  /**
   * Stores texts by name; an empty text records that there is none. They expire after `ms`, by default an hour. Texts beyond the tenant's
   * hourly limit are not stored, which is logged.
   */
  remember(tenant: string, texts: ReadonlyMap<string, string>, ms?: number): void
  /** The same for texts that the caller writes to the database: their sealed rows. */
  hand(tenant: string, texts: ReadonlyMap<string, string>, ms: number): SealedText[]
  /**
   * The texts with these names, of at most the last thousand names. The database is only queried for those not in memory; a failure is
   * logged and they count as unknown.
   */
  recall(tenant: string, names: readonly string[]): Promise<Map<string, string>>
  /** Writes new texts; texts that could not be written are retried by the next flush. Rejects when the database does. */
  flush(): Promise<void>
  /** Drops expired texts. */
  sweep(): void
}

/** A text for the database, without its tenant. */
export interface SealedText {
  key: string
  sealed: string
  /** Milliseconds since 1970. */
  expiresAt: number
}

interface Entry {
  tenant: string
  key: string
  /** Empty = known to have none. */
  text: string
  expiresAt: number
}

/** Milliseconds. */
const lifetime = 3_600_000
/** Milliseconds for which a missing row is cached: another instance may be about to write it. */
const believedAbsent = 60_000

const lookUpWithin = 2_000

const askedAtMost = 1_000
const rowsPerBatch = 200
const charactersPerBatch = 4 * 1024 * 1024

const nameOf = ({ tenant, key }: { tenant: string; key: string }) => `${key}${tenant}`
const identity = ({ tenant, key }: { tenant: string; key: string }) => JSON.stringify(['vault recollection', tenant, key])

/** An empty memory over the store. */
export function createMemory({ store, sealer, clock, log }: MemoryParts, bounds = defaultBounds): Memory {
  /** Least recently used first. */
  const entries = new Map<string, Entry>()
  const unwritten = new Set<string>()
  let characters = 0
  let lost = 0
  /** What each tenant has added in the current hour. */
  const added = new Map<string, { entries: number; characters: number; until: number }>()

  function put(entry: Entry): void {
    const name = nameOf(entry)
    drop(name)
    entries.set(name, entry)
    characters += entry.text.length
    for (const oldest of entries.keys()) {
      if (entries.size <= bounds.entries && characters <= bounds.characters) return
      if (unwritten.delete(oldest)) lost += 1
      drop(oldest)
    }
  }

  /** Counts a text; false when the tenant's hourly limit is reached. */
  function takesRoom(tenant: string, size: number): boolean {
    const now = clock.now()
    const before = added.get(tenant)
    const share = before && before.until > now ? before : { entries: 0, characters: 0, until: now + lifetime }
    added.set(tenant, share)
    const isFull = share.entries >= bounds.ofTenant.entries || share.characters + size > bounds.ofTenant.characters
    if (isFull) return false
    share.entries += 1
    share.characters += size
    return true
  }

  function drop(name: string): void {
    characters -= entries.get(name)?.text.length ?? 0
    entries.delete(name)
  }

  /** Moves the entry to the end, and extends its life when half of it is over. */
  function use(entry: Entry): string {
    const now = clock.now()
    const renew = entry.text !== '' && entry.expiresAt - now < lifetime / 2
    put(renew ? { ...entry, expiresAt: now + lifetime } : entry)
    if (renew) unwritten.add(nameOf(entry))
    return entry.text
  }

  function find(at: { tenant: string; key: string }): Entry | undefined {
    const entry = entries.get(nameOf(at))
    return entry && entry.expiresAt > clock.now() ? entry : undefined
  }

  /** The stored texts by key. */
  async function lookUp(tenant: string, keys: string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    const now = clock.now()
    try {
      const rows = await inTime(readRecollections(store, tenant, keys, new Date(now)))
      const stored = new Map(rows.map((row) => [row.key, row]))
      for (const key of keys) {
        const entry = find({ tenant, key }) ?? opened(stored.get(key)) ?? { tenant, key, text: '', expiresAt: now + believedAbsent }
        found.set(key, use(entry))
      }
    } catch (thrown) {
      log.warn({ err: thrown }, 'cannot look up the state of earlier tool calls; continuing without it')
    }
    return found
  }

  /** Rejects when the work takes too long, since a request waits for it. */
  function inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new GatewayError('books_unavailable', 'The database did not answer in time.'))
      const timer = clock.after(lookUpWithin, late)
      void work.then(resolve, reject).finally(() => timer.cancel())
    })
  }

  /** A row that cannot be decrypted counts as missing. */
  function opened(row: RecollectionRecord | undefined): Entry | undefined {
    if (!row) return undefined
    try {
      return { tenant: row.tenant, key: row.key, text: sealer.open(row.sealed, identity(row)), expiresAt: row.expiresAt.getTime() }
    } catch {
      return undefined
    }
  }

  async function write(names: readonly string[]): Promise<void> {
    // Removed first: a text stored during the write belongs to the next flush.
    for (const name of names) unwritten.delete(name)
    try {
      await writeRecollections(
        store,
        names.flatMap((name) => rowOf(entries.get(name)) ?? []),
      )
    } catch (thrown) {
      for (const name of names) if (entries.has(name)) unwritten.add(name)
      throw thrown
    }
  }

  function rowOf(entry: Entry | undefined): RecollectionRecord | undefined {
    if (!entry || entry.text === '') return undefined
    const { tenant, key, text, expiresAt } = entry
    return { tenant, key, sealed: sealer.seal(text, identity(entry)), expiresAt: new Date(expiresAt) }
  }

  function batches(): string[][] {
    const all: string[][] = []
    let size = 0
    for (const name of unwritten) {
      const last = all.at(-1)
      size += entries.get(name)?.text.length ?? 0
      if (last && last.length < rowsPerBatch && size <= charactersPerBatch) last.push(name)
      else {
        all.push([name])
        size = entries.get(name)?.text.length ?? 0
      }
    }
    return all
  }

  return {
    remember(tenant, texts, ms = lifetime) {
      let refused = 0
      for (const [name, text] of texts) {
        const entry = { tenant, key: sha256Hex(name), text }
        if (entry.text.length > bounds.charactersEach) {
          log.warn({ characters: entry.text.length }, 'the state of a tool call is too large to be remembered')
          continue
        }
        if (!takesRoom(tenant, text.length)) {
          refused += 1
          continue
        }
        put({ ...entry, expiresAt: clock.now() + ms })
        if (entry.text !== '') unwritten.add(nameOf(entry))
      }
      if (refused > 0) log.warn({ refused, tenant }, 'a user exceeded the hourly limit for remembered tool call state')
    },
    hand(tenant, texts, ms) {
      return [...texts].map(([name, text]) => {
        const entry = { tenant, key: sha256Hex(name), text, expiresAt: clock.now() + ms }
        put(entry)
        return { key: entry.key, sealed: sealer.seal(text, identity(entry)), expiresAt: entry.expiresAt }
      })
    },
    async recall(tenant, names) {
      const keys = new Map([...new Set(names)].slice(-askedAtMost).map((name) => [sha256Hex(name), name]))
      const texts = new Map<string, string>()
      const unknown: string[] = []
      for (const key of keys.keys()) {
        const entry = find({ tenant, key })
        if (entry) texts.set(key, use(entry))
        else unknown.push(key)
      }
      const stored = unknown.length > 0 ? await lookUp(tenant, unknown) : []
      const recalled = new Map<string, string>()
      for (const [key, text] of [...texts, ...stored]) {
        const name = keys.get(key)
        if (name !== undefined && text !== '') recalled.set(name, text)
      }
      return recalled
    },
    async flush() {
      if (lost > 0) log.warn({ lost }, 'state of tool calls was dropped before it could be written: memory is full')
      lost = 0
      for (const batch of batches()) await write(batch)
    },
    sweep() {
      const now = clock.now()
      for (const [name, { expiresAt }] of entries) {
        if (expiresAt > now) continue
        unwritten.delete(name)
        drop(name)
      }
      for (const [tenant, { until }] of added) if (until <= now) added.delete(tenant)
    },
  }
}
