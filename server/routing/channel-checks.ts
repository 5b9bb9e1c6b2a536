/**
 * Checks of channels that rest, every so many minutes where the installation wants it: a small real request for each model that rests.
 * When all of them are answered, the channel is well again, here and on every other instance; otherwise it goes on resting, and
 * whoever watches tests hears of it. Nobody is charged: the house pays its upstreams, and each question is a usage row of the house.
 */
import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import type { Health } from './health-contract.ts'

/** What checks need. */
export interface ChannelChecksParts {
  /** Minutes between two checks of a channel; null: none are made. */
  minutes(): number | null
  health: Pick<Health, 'resting' | 'reset'>
  /** A small real request; rejects where the channel has none that could be sent. */
  test(channelId: string, question: { model?: string }, signal: AbortSignalLike): Promise<{ ok: boolean }>
  clock: Pick<Clock, 'monotonic'>
  log: Pick<Log, 'info'>
}

/** Models of one channel that are asked for at once. */
const mostModels = 5

/** One look at all channels that rest; call it on a schedule. It remembers when each was checked. Never rejects. */
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
        log.info({ channel, well, charged: 'nobody' }, 'checked a channel that rests')
        if (well) health.reset(channel)
      }),
    )
  }
}
