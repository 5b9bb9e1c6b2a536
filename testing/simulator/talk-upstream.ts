/** Realtime upstreams of the simulator: each connection follows a script that the dice chose, and is watched. */
import type { FrameListener, FrameSocket } from '#runtime/contract/sockets'
import { GatewayError } from '#shared/errors'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import type { RefusedDial, SocketUpstream } from '#upstream/socket'
import type { Journal } from './journal.ts'
import { oneIn } from './script.ts'

export interface Line {
  number: number
  /** The client's session. */
  talk: string
  /** Channel and key. */
  place: string
  /** `ended`: by the upstream. `stopped`: by us. */
  state: 'dialling' | 'open' | 'ended' | 'stopped'
  /** Frames given to us, and frames that came, in order. */
  gave: string[]
  took: string[]
}

export interface TalkNetworkParts {
  clock: StepClock
  random: Seeded
  journal: Journal
  /** How often things go wrong, in 1/10. */
  mood: number
  /** Told before anything is done. */
  opened(line: Line): void
}

export interface TalkNetwork extends SocketUpstream {
  readonly lines: readonly Line[]
}

const broke = () => new GatewayError('upstream_error', 'The upstream broke off.')
const event = (type: string, fields: object) => JSON.stringify({ type, ...fields })
const failure = (code: string) => event('error', { error: { type: 'server_error', code, message: 'no' } })
const statuses = [401, 429, 429, 500, 503] as const
const [inOrder, broken] = [1000, 1006]

export function createTalkNetwork({ clock, random, journal, mood, opened }: TalkNetworkParts): TalkNetwork {
  const lines: Line[] = []
  const fails = () => random.below(10) < mood
  const nap = (signal: AbortSignal) => clock.sleep(random.pick([0, 0, 0, 250, 1000, 6000, 30_000]), signal)

  function connect(line: Line, listener: FrameListener): FrameSocket {
    const left = new AbortController()
    const waiting: (string | { code: number })[] = []
    let paused = false
    let answers = Promise.resolve()

    function flow(): void {
      while (!paused && line.state === 'open') {
        const next = waiting.shift()
        if (next === undefined) return
        if (typeof next === 'string') {
          line.gave.push(next)
          listener.message(next)
        } else {
          line.state = 'ended'
          left.abort()
          listener.closed(next.code, '')
        }
      }
    }

    const say = (...frames: (string | { code: number })[]) => {
      waiting.push(...frames)
      flow()
    }

    async function answer(): Promise<void> {
      await nap(left.signal)
      if (fails() && oneIn(random, 3)) return say(failure('server_error'))
      const response = { id: `${line.number}.${random.below(1e9)}` }
      const said = { response_id: response.id, delta: 'some words' }
      say(event('response.created', { response }))
      for (let words = random.below(4); words > 0; words--) {
        await nap(left.signal)
        if (fails() && oneIn(random, 3)) return say({ code: random.pick([inOrder, broken]) })
        say(event('response.output_text.delta', said))
      }
      await nap(left.signal)
      const usage = { input_tokens: 1 + random.below(9), output_tokens: 1 + random.below(9) }
      say(event('response.done', { response: { ...response, ...(!oneIn(random, 4) && { usage }) } }))
    }

    const begun = async () => {
      await nap(left.signal)
      if (fails()) say(random.pick<string | { code: number }>([failure('server_error'), { code: inOrder }, { code: broken }]))
      else say(event('session.created', { session: { id: `sess_${line.number}` } }))
    }
    answers = begun().catch(() => undefined)

    return {
      send(frame) {
        if (line.state !== 'open' || typeof frame !== 'string') return false
        line.took.push(frame)
        if (frame.includes('"response.create"')) answers = answers.then(answer).catch(() => undefined)
        return true
      },
      buffered: () => 0,
      pause() {
        paused = true
      },
      resume() {
        paused = false
        flow()
      },
      close(code, reason) {
        if (line.state !== 'open') return
        line.state = 'stopped'
        left.abort()
        queueMicrotask(() => listener.closed(code, reason))
      },
    }
  }

  /** Undefined: the connection stands. */
  async function refusal(signal: AbortSignal): Promise<RefusedDial | undefined> {
    const hangs = fails() && oneIn(random, 4)
    await clock.sleep(hangs ? 7_200_000 : random.pick([0, 0, 250, 1000, 5000]), signal)
    if (!fails()) return undefined
    if (oneIn(random, 2)) throw broke()
    return { status: random.pick(statuses), headers: new Headers(), body: JSON.stringify({ error: { message: 'no' } }) }
  }

  return {
    lines,
    async dial(request, listener, signal) {
      const { authorization = '', 'x-talk': talk = '' } = request.headers
      const place = authorization.replace(/^bearer /i, '')
      const line: Line = { number: lines.length, talk, place, state: 'dialling', gave: [], took: [] }
      lines.push(line)
      journal.note(`line ${line.number} of ${talk} on ${place}`)
      opened(line)
      try {
        const refused = await refusal(signal)
        line.state = refused ? 'ended' : 'open'
        return refused ?? connect(line, listener)
      } catch (thrown) {
        line.state = signal.aborted ? 'stopped' : 'ended'
        throw thrown
      }
    },
  }
}
