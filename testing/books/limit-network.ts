/** A simulated network between several instances and one table of limits: it loses and delays calls. */
import type { RateTable } from '#billing/ratelimit/shared-limits'
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import type { RateModel } from './limit-model.ts'

export interface RateNetwork {
  /** Connects one more instance to the table. */
  join(): Member
}

export interface Member {
  table: RateTable
  /** Makes every further call fail, or none. */
  cut(isCut: boolean): void
  /** How many calls were made. */
  calls(): number
}

export interface Weather {
  /** The delay of one way, in milliseconds. */
  delay(): number
  /** What happens to a call. */
  fate(): 'answered' | 'lost' | 'answer lost' | 'late'
}

const fairWeather: Weather = { delay: () => 1, fate: () => 'answered' }

/** Longer than anybody waits, shorter than the statement timeout of the server. */
const lateMs = 4_000

const lost = () => new GatewayError('books_unavailable', 'x')

/** A network above the model; without `weather` every call takes 1 ms each way and is answered. */
export function rateNetwork(clock: Clock, model: RateModel, weather: Weather = fairWeather): RateNetwork {
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
            const fate = isCut ? 'lost' : weather.fate()
            await clock.sleep(weather.delay() + (fate === 'late' ? lateMs : 0))
            if (fate === 'lost') throw lost()
            const answer = model.sync(structuredClone(call), clock.now())
            await clock.sleep(weather.delay())
            if (fate === 'answer lost') throw lost()
            return answer
          },
          async forget(holder) {
            await clock.sleep(weather.delay())
            if (isCut) throw lost()
            model.forget(holder)
          },
          recall(id) {
            for (const listener of listeners) clock.after(weather.delay(), () => listener(id))
          },
          onRecall: (asked) => void listeners.push(asked),
        },
      }
    },
  }
}
