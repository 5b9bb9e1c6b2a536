/**
 * Rows of one table kept in memory by id, refreshed from behind. Reading never touches the database. A refresh that fails
 * keeps what was known; the poll tries again.
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
    source.onChange?.(id, row, before)
  }

  async function reload(): Promise<void> {
    const fresh = new Map((await source.loadAll()).map((row) => [source.id(row), row]))
    for (const id of [...rows.keys()]) if (!fresh.has(id)) put(id, undefined)
    for (const [id, row] of fresh) put(id, row)
  }

  await reload()
  store.changes.subscribe(source.table, async (id) => (id === undefined ? reload() : put(id, await source.load(id))))
  return { get: (id) => rows.get(id), all: () => rows.values() }
}
