/** A simulated client of a realtime session: connects, sends at its own pace, stays or disconnects. */
import type { Caller } from '#accounts/caller'
import type { Realtime } from '#relay/realtime/contract'
import type { Session } from '#relay/realtime/session'
import type { FrameSocket } from '#runtime/contract/sockets'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import type { RunLog } from './run-log.ts'
import { oneIn } from './script.ts'

/** Everything about a realtime client that is drawn at random. */
export interface RealtimePlan {
  requestId: string
  /** Milliseconds. */
  startsAt: number
  /** Milliseconds after the start at which it disconnects; undefined = it stays until the session is closed. */
  leavesAfter: number | undefined
  /** The close code with which it disconnects. */
  code: number
  /** Milliseconds before each frame that it sends. */
  gaps: readonly number[]
}

/** Draws a realtime client. */
export function drawRealtimePlan(random: Seeded, number: number): RealtimePlan {
  return {
    requestId: `session ${number}`,
    startsAt: random.pick([0, 0, 250, 1000, 6000, 31_000]),
    leavesAfter: oneIn(random, 4) ? undefined : random.pick([0, 1000, 6000, 16_000, 70_000, 200_000]),
    code: random.pick([1000, 1005, 1006]),
    gaps: Array.from({ length: random.below(6) }, () => random.pick([0, 0, 250, 6000, 30_000])),
  }
}

/** A simulated realtime client and what it has seen so far. */
export interface RealtimeClient {
  readonly plan: RealtimePlan
  /** Undefined before it connects. */
  caller(): Caller | undefined
  refused(): GatewayError | undefined
  /** Frames received and sent. */
  readonly received: readonly string[]
  readonly sent: readonly string[]
  /** When the session opened and when it was over, in simulated milliseconds. */
  openedAt(): number | undefined
  overAt(): number | undefined
  /** Resolves when the session is over. */
  run(realtime: Realtime, caller: Caller, valid: (caller: Caller) => boolean): Promise<void>
}

/** What a client needs from the simulation. */
export interface RealtimeClientParts {
  clock: StepClock
  random: Seeded
  log: RunLog
  /** Whether the request has its usage row. */
  settled(requestId: string): boolean
}

/** Creates a client that follows this plan. */
export function createRealtimeClient(plan: RealtimePlan, { clock, random, log, settled }: RealtimeClientParts): RealtimeClient {
  const { requestId } = plan
  const dialling = new AbortController()
  const over = new AbortController()
  const end = Promise.withResolvers<void>()
  const received: string[] = []
  const sent: string[] = []
  /** What the network buffers while the relay does not read. */
  const held: ((session: Session) => void)[] = []
  let caller: Caller | undefined
  let refused: GatewayError | undefined
  let session: Session | undefined
  let paused = false
  let openedAt: number | undefined
  let overAt: number | undefined

  function finish(): void {
    overAt ??= clock.monotonic()
    over.abort()
    end.resolve()
  }

  function hand(deed: (session: Session) => void): void {
    held.push(deed)
    while (session && !paused) {
      const next = held.shift()
      if (!next) return
      next(session)
    }
  }

  const socket: FrameSocket = {
    send(frame) {
      if (overAt !== undefined) return false
      received.push(String(frame))
      return true
    },
    buffered: () => 0,
    pause() {
      paused = true
    },
    resume() {
      paused = false
      hand(() => undefined)
    },
    close(code, reason) {
      log.note(`${requestId} is closed: ${code} ${reason}`)
      log.check(settled(requestId), `${requestId} is closed before its usage row is written`)
      finish()
      queueMicrotask(() => session?.closed(code, reason))
    },
  }

  function leave(): void {
    log.note(`${requestId} leaves`)
    if (!session) {
      dialling.abort(new GatewayError('client_closed_request', 'The client left.'))
      return
    }
    hand((to) => {
      if (overAt !== undefined) return
      finish()
      to.closed(plan.code, '')
    })
  }

  async function speak(): Promise<void> {
    for (const gap of plan.gaps) {
      await clock.sleep(gap, over.signal)
      const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: `word ${sent.length} of ${requestId}` }] }
      const frame = JSON.stringify(oneIn(random, 3) ? { type: 'conversation.item.create', item } : { type: 'response.create' })
      sent.push(frame)
      hand((to) => to.message(frame))
    }
  }

  return {
    plan,
    caller: () => caller,
    refused: () => refused,
    received,
    sent,
    openedAt: () => openedAt,
    overAt: () => overAt,
    async run(realtime, asking, valid) {
      caller = asking
      log.note(`${requestId} asks: ${JSON.stringify(plan)}`)
      const leaving = plan.leavesAfter === undefined ? undefined : clock.after(plan.leavesAfter, leave)
      const readmit = () => {
        if (!valid(asking)) throw new GatewayError('invalid_api_key', 'The key was revoked.')
      }
      try {
        const headers = { 'x-session': requestId }
        const opened = await realtime({
          requestId,
          caller: asking,
          model: 'm',
          style: 'openai',
          readmit,
          headers,
          client: new Headers(),
          signal: dialling.signal,
        })
        if (dialling.signal.aborted) return opened.abandon()
        session = opened
        openedAt = clock.monotonic()
        opened.opened(socket)
        void speak().catch(() => undefined)
        await end.promise
      } catch (thrown) {
        refused = asGatewayError(thrown)
        log.note(`${requestId} is refused: ${refused.code}`)
      } finally {
        leaving?.cancel()
      }
    },
  }
}
