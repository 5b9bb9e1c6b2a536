/** Charges of items whose end was not recorded. */
import type { Store } from '#store/engine/store'
import { endReplayItem, type ReplayItemRecord } from '#store/replays/replays'
import { findLogNear } from '#store/usage/logs'
import { figuresOf } from './figures.ts'

/** The items; one whose end was not recorded gets the current charge of its row. */
export async function withCharges(store: Store, items: ReplayItemRecord[]): Promise<ReplayItemRecord[]> {
  const open = items.filter(({ state, result }) => result === null && (state === 'interrupted' || state === 'failed'))
  for (const item of open) {
    if (item.replayId === null || item.begunAt === null) continue
    const log = await findLogNear(store, item.replayId, item.begunAt)
    if (!log) continue
    Object.assign(item, { result: figuresOf(log), charged: log.charged })
    await endReplayItem(store, item.replayId, { state: item.state, result: item.result, charged: item.charged })
  }
  return items
}
