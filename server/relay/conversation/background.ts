/**
 * Responses answers made in the background: the client is told at once that its answer is in progress, the eight steps run without it, and
 * their result is stored under the id that it got. Limits, money and the usage row are those of any request.
 */
import type { Allowances } from '#canonical/allowance'
import type { BackgroundAnswer, BackgroundAnswers } from '#reasoning-state/background-answers'
import type { Conversations } from '#reasoning-state/stored-conversations'
import type { Ask, Reply } from '#relay/contract/ask'
import type { Relay } from '#relay/contract/relay'
import { clientClosed } from '#relay/exchange/ended'
import type { Clock, Random } from '#runtime/clock'
import { Abort } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import { asGatewayError, GatewayError } from '#shared/errors'
import { closedResponse, openResponse } from './background-response.ts'

/** A request for an answer in the background. */
export interface AskedInBackground {
  /** Request fields that the response repeats. */
  echo: Record<string, unknown>
  /** Its items, if they are on this thread. */
  question: unknown[]
}

/** An answer that this process is making. */
export interface Making {
  tenant: string
  id: string
  /** It was cancelled or stored. */
  isOver: boolean
  /** Resolves when other processes can see it. */
  noted: Promise<void>
  question: unknown[]
  response: Record<string, unknown>
  /** Stops making it. */
  abort(): void
}

/** Makes answers in the background. */
export interface Background {
  /**
   * Passes the request to the relay. `wanted` is called once money is held: if it returns a value, the reply comes at once and `made` is
   * called; otherwise the reply is the relay's. Rejects as the relay does.
   */
  serve(ask: Ask, wanted: () => AskedInBackground | undefined, made: (making: Making) => void): Promise<Reply>
  /** An answer in progress, as its client sees it; undefined if there is none. */
  find(tenant: string, id: string): Promise<BackgroundAnswer | undefined>
  /** Answers in progress, of one tenant if given, newest first. */
  open: BackgroundAnswers['open']
  /** Cancels it. Undefined if none of this id is in progress. */
  cancel: BackgroundAnswers['cancel']
  /** Stores the answer, unless it was cancelled. Replaces what another process stored if it took the answer for interrupted. */
  keep(making: Making, store: () => Promise<void>): Promise<void>
  /** Runs every two seconds: renews the heartbeat of this process's answers, and learns which are to be cancelled. */
  beat(): Promise<void>
  /** Runs every minute: closes answers whose process has ended. */
  closeInterrupted(): Promise<void>
}

export interface BackgroundParts {
  relay: Relay
  answers: BackgroundAnswers
  stored: Pick<Conversations, 'keep' | 'forget'>
  clock: Clock
  random: Random
  log: Log
}

/** Characters of base62 in an id. */
const idLength = 48

const interrupted = () =>
  new GatewayError('internal_error', 'Parley stopped while this answer was being made. What the upstream delivered is charged.')

/** Answers that this process makes. */
export function createBackground({ relay, answers, stored, clock, random, log }: BackgroundParts): Background {
  const all = new Map<string, Making>()

  /** Stores that it ended without an answer. */
  async function close({ tenant, id, items, response }: ClosedAnswer, why: 'cancelled' | GatewayError): Promise<void> {
    const previous = response.previous_response_id
    const exchange = { turns: [], items, response: closedResponse(response, why) }
    await stored.keep(tenant, id, typeof previous === 'string' ? previous : undefined, exchange)
    await answers.end(tenant, id)
  }

  async function closed(making: Making, why: 'cancelled' | GatewayError): Promise<void> {
    if (making.isOver) return
    making.isOver = true
    all.delete(making.id)
    const { tenant, id, question, response } = making
    await close({ tenant, id, items: question, response }, why)
  }

  /** However it ended, it is no longer in progress. */
  async function ended(making: Making, thrown?: unknown): Promise<void> {
    try {
      await making.noted
      if (making.isOver) await answers.end(making.tenant, making.id)
      else await closed(making, thrown === undefined ? unkept() : asGatewayError(thrown))
    } catch (cause) {
      // Its heartbeat has stopped, so it will be closed as interrupted.
      log.warn({ response: making.id, err: cause }, 'a background answer could not be closed')
    } finally {
      all.delete(making.id)
    }
  }

  function begin(ask: Ask, { echo, question }: AskedInBackground, away: Abort): Making {
    const tenant = ask.caller.user.id
    const id = `resp_${random.base62(idLength)}`
    const response = openResponse(id, Math.floor(clock.now() / 1000), echo)
    const noted = answers.begin(tenant, id, { turns: [], items: question, response })
    const making: Making = { tenant, id, isOver: false, noted, question, response, abort: () => away.abort(clientClosed()) }
    all.set(id, making)
    return making
  }

  return {
    open: answers.open,
    serve(ask, wanted, made) {
      const away = new Abort()
      const leaves = () => away.abort(ask.signal.reason)
      if (ask.signal.aborted) leaves()
      else ask.signal.addEventListener('abort', leaves, { once: true })
      const early = Promise.withResolvers<Reply>()
      let making: Making | undefined

      function begun(left: Allowances): void {
        const asked = wanted()
        if (!asked) return
        ask.signal.removeEventListener('abort', leaves)
        const job = begin(ask, asked, away)
        making = job
        made(job)
        const body = JSON.stringify(job.response)
        job.noted.then(
          () => early.resolve({ status: 200, contentType: 'application/json', body, losses: [], left }),
          (thrown: unknown) => {
            job.isOver = true
            early.reject(thrown)
            job.abort()
          },
        )
      }

      const whole = relay({ ...ask, signal: away, begun }).then(
        (reply) => {
          if (!making) return reply
          void ended(making)
          return early.promise
        },
        (thrown: unknown) => {
          if (!making) throw thrown
          void ended(making, thrown)
          return early.promise
        },
      )
      return Promise.race([early.promise, whole])
    },
    async find(tenant, id) {
      const found = await answers.find(tenant, id)
      if (!found?.isAbandoned || all.has(id)) return found && shown(found)
      await close(closedOf(found), found.cancelled ? 'cancelled' : interrupted())
      return undefined
    },
    async cancel(tenant, id, by) {
      const found = await answers.cancel(tenant, id, by)
      const making = found && all.get(id)
      if (making) {
        await closed(making, 'cancelled')
        making.abort()
      } else if (found?.isAbandoned) await close(closedOf(found), 'cancelled')
      return found && shown(found)
    },
    async keep(making, store) {
      await making.noted
      if (making.isOver) return
      if (!(await answers.find(making.tenant, making.id))) await stored.forget(making.tenant, making.id)
      await store()
      making.isOver = true
    },
    async beat() {
      for (const id of await answers.beat([...all.keys()])) {
        const making = all.get(id)
        if (!making) continue
        await closed(making, 'cancelled')
        making.abort()
      }
    },
    async closeInterrupted() {
      for (const found of await answers.abandoned()) {
        if (!all.has(found.id)) await close(closedOf(found), found.cancelled ? 'cancelled' : interrupted())
      }
    },
  }
}

/** An answer that was cancelled or failed. */
interface ClosedAnswer {
  tenant: string
  id: string
  items: unknown[]
  response: Record<string, unknown>
}

const closedOf = ({ tenant, id, items, response }: BackgroundAnswer): ClosedAnswer => ({
  ...{ tenant, id, items },
  response: response as Record<string, unknown>,
})

/** Shown as cancelled even before the process that makes it has noticed. */
function shown(answer: BackgroundAnswer): BackgroundAnswer {
  return answer.cancelled ? { ...answer, response: closedResponse(answer.response as Record<string, unknown>, 'cancelled') } : answer
}

const unkept = () => new GatewayError('internal_error', 'The answer was complete but could not be stored. It is charged.')
