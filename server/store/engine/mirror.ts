/**
 * Rows of one table in memory, by id, refreshed in the background. Reads never touch the database. Refreshes run one after the other,
 * so that an older result never replaces a newer one; a failed refresh keeps the old rows, and its caller retries it.
 */
import type { MirroredTable, Store } from './store.ts'

/** The rows, read-only. */
export interface Mirror<Row> {
  get(id: string): Row | undefined
  all(): IterableIterator<Row>
}

/** How to load the rows. */
export interface MirrorSource<Row> {
  table: MirroredTable
  id(row: Row): string
  loadAll(): Promise<Row[]>
  load(id: string): Promise<Row | undefined>
  /** Called for every inserted, changed (new row) or deleted (undefined) row, to maintain secondary indexes. */
  onChange?(id: string, row: Row | undefined, before: Row | undefined): void
}

/** Loads all rows and keeps them current through `store.changes`. Rejects when the first load fails. */
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

  /** Resolves when every refresh requested so far has ended. */
  let last: Promise<void> = Promise.resolve()
  function inTurn(refresh: () => Promise<void>): Promise<void> {
    const result = last.then(refresh)
    last = result.catch(() => {})
    return result
  }

  // Subscribes before the first load, so that a change made during it is read afterwards.
  const loaded = inTurn(reload)
  store.changes.subscribe(source.table, (id) => inTurn(async () => (id === undefined ? reload() : put(id, await source.load(id)))))
  await loaded
  // The map's own functions: reading a mirror adds no call.
  return { get: rows.get.bind(rows), all: rows.values.bind(rows) }
}
