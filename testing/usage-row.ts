/** Usage rows for tests that only read or settle them. */
import { logs } from '#db/schema'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'
import type { NewLog } from '#store/ledger/ledger'
import { detailText } from '#store/ledger/row-detail'

/** The row of a successful request; `row` replaces its defaults. */
export const usageRow = (row: Pick<NewLog, 'requestId'> & Partial<NewLog>): NewLog => ({
  at: new Date(1_700_000_000_000),
  userId: 'u',
  group: 'default',
  model: 'm',
  operation: 'generate',
  dialect: 'chat',
  stream: false,
  status: 200,
  end: 'complete',
  cost: 0n,
  losses: [],
  attempts: [],
  totalMs: 1,
  ...row,
})

/** Writes the row of a request that never had a hold, unless the request already has a row. */
export async function insertLog({ db }: Store, log: NewLog): Promise<void> {
  await db
    .insert(logs)
    .values({ ...log, charged: 0n })
    .onConflictDoNothing()
}

/** The same for many rows, with few statements. */
export async function insertLogs({ db }: Store, rows: readonly NewLog[]): Promise<void> {
  const values = rows.map((log) => ({ ...log, charged: 0n }))
  await inLots(values, (lot) => db.insert(logs).values(lot).onConflictDoNothing())
}

/** Writes rows as the ledger does now: what is read with a row is one text. Their charges are their costs. */
export async function insertPackedLogs({ db }: Store, rows: readonly NewLog[]): Promise<void> {
  const values = rows.map((row) => {
    const detail = detailText({ ...row, usage: row.usage ?? null, price: row.price ?? null, upstreamPrice: row.upstreamPrice ?? null })
    return { ...row, detail, charged: row.cost, usage: null, price: null, upstreamPrice: null, attempts: null }
  })
  await inLots(values, (lot) => db.insert(logs).values(lot))
}

/** Writes a row completed by `usageRow`, for a request that never had a hold. */
export function putUsageRow(store: Store, row: Pick<NewLog, 'requestId' | 'at' | 'userId'> & Partial<NewLog>): Promise<void> {
  return insertLog(store, usageRow(row))
}

/** Writes a row completed by `usageRow` whose `charged` is its cost. Nothing is taken from a wallet: for screenshots, not for the books. */
export async function putPaidRow({ db }: Store, row: Pick<NewLog, 'requestId' | 'at' | 'userId'> & Partial<NewLog>): Promise<void> {
  const log = usageRow(row)
  await db.insert(logs).values({ ...log, charged: log.cost })
}
