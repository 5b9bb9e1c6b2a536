/**
 * Rows of one table kept in memory by id, refreshed from behind. Reading never touches the database. Refreshes come one after
 * the other, so that an older answer never replaces a newer one; one that fails keeps what was known, and is tried again by
 * whoever asked for it.
 */
import type { MirroredTable, Store } from './store.ts'

export interface Mirror<Row> {
  get(id: string): Row | undefined
  all(): IterableIterator<Row>
}

export interface MirrorSource<Row> {
  table: MirroredTable
  id(row: Row): string
  loadAll(): Promise<Row[]>
  load(id: string): Promise<Row | undefined>
  /** Told of every row that came, changed (new row) or went (undefined), to keep secondary indexes. */
  onChange?(id: string, row: Row | undefined, before: Row | undefined): void
}

/** Loads everything once and stays current through `store.changes`. Rejects when the first load fails. */
export async function mirror<Row>(store: Store, source: MirrorSource<Row>): Promise<Mirror<Row>> {
  const rows = new Map<string, Row>()

  function put(id: string, row: Row | undefined): void {
    const before = rows.get(id)
    if (row === undefined) rows.delete(id)
    else rows.set(id, row)
    if (row !== undefined || before !== undefined) source.onChange?.(id, row, before)
  }

  async function reload(): Promise<void> {
    const fresh = new Map((await source.loadAll()).map((row) => [source.id(row), row]))
    for (const id of [...rows.keys()]) if (!fresh.has(id)) put(id, undefined)
    for (const [id, row] of fresh) put(id, row)
  }

  /** Ends when every refresh asked for so far has ended. */
  let last: Promise<void> = Promise.resolve()
  function inTurn(refresh: () => Promise<void>): Promise<void> {
    const result = last.then(refresh)
    last = result.catch(() => {})
    return result
  }

  // Subscribed before the first load: a change made during it is read after it.
  const loaded = inTurn(reload)
  store.changes.subscribe(source.table, (id) => inTurn(async () => (id === undefined ? reload() : put(id, await source.load(id)))))
  await loaded
  return { get: (id) => rows.get(id), all: () => rows.values() }
}
