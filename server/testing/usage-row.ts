/** Usage rows for tests that only read them. */
import { insertLog, type NewLog } from '#store/ledger'
import type { Store } from '#store/store'

/** Writes the row of a request that went well, but for what is said otherwise. */
export function putUsageRow(store: Store, row: Pick<NewLog, 'requestId' | 'at' | 'userId'> & Partial<NewLog>): Promise<void> {
  return insertLog(store, {
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
}
