/** A simulated client of a realtime session: asks, speaks at its own pace, stays or leaves. */
import type { Caller } from '#accounts/caller'
import type { Realtime } from '#relay/realtime/realtime'
import type { Session } from '#relay/realtime/session'
import type { FrameSocket } from '#runtime/contract/sockets'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import type { Journal } from './journal.ts'
import { oneIn } from './script.ts'

export interface TalkPlan {
  requestId: string
  /** Milliseconds. */
  startsAt: number
  /** After it began; undefined = it stays until it is told to go. */
  leavesAfter: number | undefined
  /** How it leaves: the code that its connection ends with. */
  code: number
  /** Milliseconds before each thing that it says. */
  gaps: readonly number[]
}

export function drawTalk(random: Seeded, number: number): TalkPlan {
  return {
    requestId: `talk ${number}`,
    startsAt: random.pick([0, 0, 250, 1000, 6000, 31_000]),
    leavesAfter: oneIn(random, 4) ? undefined : random.pick([0, 1000, 6000, 16_000, 70_000, 200_000]),
    code: random.pick([1000, 1005, 1006]),
    gaps: Array.from({ length: random.below(6) }, () => random.pick([0, 0, 250, 6000, 30_000])),
  }
}

export interface Talk {
  readonly plan: TalkPlan
  /** Undefined before it asks. */
  caller(): Caller | undefined
  refused(): GatewayError | undefined
  /** Frames that it was given, and that it said. */
  readonly heard: readonly string[]
  readonly said: readonly string[]
  /** When it was let in, and when that was over, in simulated milliseconds. */
  openedAt(): number | undefined
  overAt(): number | undefined
  /** Resolves when it has left or was told to. */
  run(realtime: Realtime, caller: Caller, valid: (caller: Caller) => boolean): Promise<void>
}

export interface TalkParts {
  clock: StepClock
  random: Seeded
  journal: Journal
  /** Is it in the books? */
  settled(requestId: string): boolean
}

export function createTalk(plan: TalkPlan, { clock, random, journal, settled }: TalkParts): Talk {
  const { requestId } = plan
  const dialling = new AbortController()
  const over = new AbortController()
  const end = Promise.withResolvers<void>()
  const heard: string[] = []
  const said: string[] = []
  /** What the network holds while nobody reads. */
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
      heard.push(String(frame))
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
      journal.note(`${requestId} is told to go: ${code} ${reason}`)
      journal.holds(settled(requestId), `${requestId} is told to go before it is in the books`)
      finish()
      queueMicrotask(() => session?.closed(code, reason))
    },
  }

  function leave(): void {
    journal.note(`${requestId} leaves`)
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
      const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: `word ${said.length} of ${requestId}` }] }
      const frame = JSON.stringify(oneIn(random, 3) ? { type: 'conversation.item.create', item } : { type: 'response.create' })
      said.push(frame)
      hand((to) => to.message(frame))
    }
  }

  return {
    plan,
    caller: () => caller,
    refused: () => refused,
    heard,
    said,
    openedAt: () => openedAt,
    overAt: () => overAt,
    async run(realtime, asking, valid) {
      caller = asking
      journal.note(`${requestId} asks: ${JSON.stringify(plan)}`)
      const leaving = plan.leavesAfter === undefined ? undefined : clock.after(plan.leavesAfter, leave)
      const readmit = () => {
        if (!valid(asking)) throw new GatewayError('invalid_api_key', 'The key was revoked.')
      }
      try {
        const headers = { 'x-talk': requestId }
        const opened = await realtime({ requestId, caller: asking, model: 'm', readmit, headers, signal: dialling.signal })
        if (dialling.signal.aborted) return opened.abandon()
        session = opened
        openedAt = clock.monotonic()
        opened.opened(socket)
        void speak().catch(() => undefined)
        await end.promise
      } catch (thrown) {
        refused = asGatewayError(thrown)
        journal.note(`${requestId} is refused: ${refused.code}`)
      } finally {
        leaving?.cancel()
      }
    },
  }
}
