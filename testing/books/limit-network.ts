/** A simulated network between several instances and one table of limits, which loses and delays calls. */
import type { RateTable } from '#billing/ratelimit/shared-limits'
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import type { RateModel } from './limit-model.ts'

/** The network. */
export interface RateNetwork {
  /** Connects one more instance to the table. */
  join(): Member
}

/** One instance's access to the table. */
export interface Member {
  table: RateTable
  /** Makes all further calls fail, or succeed again. */
  cut(isCut: boolean): void
  /** Number of calls made. */
  calls(): number
}

/** The network faults of a run. */
export interface NetworkFaults {
  /** Milliseconds in one direction. */
  delay(): number
  /** What happens to a call. */
  fate(): 'answered' | 'lost' | 'answer lost' | 'late'
}

const noFaults: NetworkFaults = { delay: () => 1, fate: () => 'answered' }

/** Longer than the callers' timeout, shorter than the server's statement timeout. */
const lateMs = 4_000

const lost = () => new GatewayError('books_unavailable', 'x')

/** A network in front of the model; without `faults` every call takes 1 ms in each direction and is answered. */
export function rateNetwork(clock: Clock, model: RateModel, faults: NetworkFaults = noFaults): RateNetwork {
  const listeners: ((id: string) => void)[] = []
  return {
    join() {
      let isCut = false
      let calls = 0
      return {
        cut: (now) => {
          isCut = now
        },
        calls: () => calls,
        table: {
          async sync(call) {
            calls += 1
            const fate = isCut ? 'lost' : faults.fate()
            await clock.sleep(faults.delay() + (fate === 'late' ? lateMs : 0))
            if (fate === 'lost') throw lost()
            const answer = model.sync(structuredClone(call), clock.now())
            await clock.sleep(faults.delay())
            if (fate === 'answer lost') throw lost()
            return answer
          },
          async forget(holder) {
            await clock.sleep(faults.delay())
            if (isCut) throw lost()
            model.forget(holder)
          },
          recall(id) {
            for (const listener of listeners) clock.after(faults.delay(), () => listener(id))
          },
          onRecall: (asked) => void listeners.push(asked),
        },
      }
    },
  }
}
