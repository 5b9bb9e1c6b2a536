/**
 * Tries prices on the requests of some hours, one by one, in the worker beside the database: a few at a time, so that the accounts get
 * their turn in between; one trial at a time, within a time limit.
 */
import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import { serverScript } from '#runtime/package-file'
import { GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import { noTrial, type TrialOrder, type TrialSums } from './trial-work.ts'

/** An hour with requests for the model. */
export interface BusyHour {
  /** Where it begins, in milliseconds since the epoch. */
  hour: number
  requests: number
}

/** Runs trials. */
export interface PriceTrials {
  /**
   * Resolves to undefined where it does not end before `until`, by the monotonic clock. Rejects with `client_closed_request` once the
   * signal is aborted.
   */
  run(
    order: Omit<TrialOrder, 'hours'> & { hours: readonly BusyHour[] },
    until: number,
    signal: AbortSignalLike,
  ): Promise<TrialSums | undefined>
}

const module = serverScript('billing/pricing/trial-work')
/** Limits of one call, unless one hour has more. */
const [mostRequests, mostHours] = [1_000, 12]

/** Trials on the rows of this store. */
export function createPriceTrials({ store, clock }: { store: Pick<Store, 'worker'>; clock: Pick<Clock, 'monotonic'> }): PriceTrials {
  let last: Promise<unknown> = Promise.resolve()

  async function attempt(payload: TrialOrder, withinMs: number): Promise<TrialSums | undefined> {
    try {
      // The worker returns what the function of that name returns.
      return (await store.worker?.call({ module, name: 'run', payload, withinMs })) as TrialSums | undefined
    } catch (thrown) {
      // A statement that the database cancels for its duration fails the same way.
      if (thrown instanceof GatewayError && thrown.code === 'books_unavailable') return undefined
      throw thrown
    }
  }

  return {
    run({ hours, ...order }, until, signal) {
      const run = last.then(async () => {
        const sums = noTrial()
        for (const some of callsOf(hours)) {
          if (signal.aborted) throw new GatewayError('client_closed_request', 'The client closed the connection.')
          const left = until - clock.monotonic()
          const more = left > 0 ? await attempt({ ...order, hours: some }, left) : undefined
          if (more === undefined) return undefined
          add(sums, more)
        }
        return sums
      })
      last = run.catch(() => {})
      return run
    },
  }
}

/** The hours of each call. */
function callsOf(hours: readonly BusyHour[]): number[][] {
  const calls: number[][] = []
  let requests = Number.POSITIVE_INFINITY
  for (const one of hours) {
    const call = calls.at(-1)
    if (call === undefined || call.length === mostHours || requests + one.requests > mostRequests) {
      calls.push([one.hour])
      requests = one.requests
    } else {
      call.push(one.hour)
      requests += one.requests
    }
  }
  return calls
}

function add(sums: TrialSums, more: TrialSums): void {
  for (const name of ['seen', 'requests', 'sessions'] as const) sums[name] += more[name]
  for (const name of ['present', 'tried', 'cost'] as const) sums[name] += more[name]
}
