/**
 * Optional periodic checks of resting channels: a small real request for each resting model. When all succeed, the channel's penalties are
 * cleared, on every instance; otherwise it keeps resting, and the failure is listed with failed tests. No caller is charged: the operator
 * pays the upstream, and each request is a usage row of the installation.
 */
import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import type { Health } from './health-contract.ts'

export interface ChannelChecksParts {
  /** Minutes between two checks of a channel; null: no checks. */
  minutes(): number | null
  health: Pick<Health, 'resting' | 'reset'>
  /** A small real request; rejects if the channel has no model for one. */
  test(channelId: string, question: { model?: string }, signal: AbortSignalLike): Promise<{ ok: boolean }>
  clock: Pick<Clock, 'monotonic'>
  log: Pick<Log, 'info'>
}

/** Maximum models of one channel that are checked at once. */
const mostModels = 5

/** Checks the resting channels that are due; call it on a schedule. Never rejects. */
export function createChannelChecks({ minutes, health, test, clock, log }: ChannelChecksParts): () => Promise<void> {
  const checkedAt = new Map<string, number>()

  async function isWell(channelId: string, models: readonly (string | null)[]): Promise<boolean> {
    for (const model of models.slice(0, mostModels)) {
      const signal = new AbortController().signal
      const found = await test(channelId, model === null ? {} : { model }, signal).catch(() => ({ ok: false }))
      if (!found.ok) return false
    }
    return true
  }

  return async () => {
    const every = minutes()
    if (every === null) return
    const resting = Map.groupBy(health.resting(), ({ channelId }) => channelId)
    for (const id of checkedAt.keys()) if (!resting.has(id)) checkedAt.delete(id)
    const due = [...resting].filter(([id]) => clock.monotonic() - (checkedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= every * 60_000)
    await Promise.all(
      due.map(async ([channel, ailments]) => {
        checkedAt.set(channel, clock.monotonic())
        const well = await isWell(channel, [...new Set(ailments.map(({ model }) => model))])
        log.info({ channel, well, charged: 'nobody' }, 'checked a resting channel')
        if (well) health.reset(channel)
      }),
    )
  }
}
