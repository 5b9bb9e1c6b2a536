/** Simulated realtime upstreams: each connection follows a randomly drawn script and is recorded. */
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { FrameListener, FrameSocket } from '#runtime/contract/sockets'
import { GatewayError } from '#shared/errors'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import type { RefusedDial, SocketUpstream } from '#upstream/socket'
import type { RunLog } from './run-log.ts'
import { oneIn } from './script.ts'

/** One connection that the relay opened to an upstream. */
export interface Connection {
  number: number
  /** The client's request id. */
  client: string
  /** The secret of the key that was used, which identifies channel and key. */
  place: string
  /** `ended`: by the upstream. `stopped`: by the relay. */
  state: 'dialling' | 'open' | 'ended' | 'stopped'
  /** Frames sent and received by the upstream, in order. */
  gave: string[]
  took: string[]
}

/** What the upstreams need from the simulation. */
export interface RealtimeNetworkParts {
  clock: StepClock
  random: Seeded
  log: RunLog
  /** The probability of a fault, in tenths. */
  faultRate: number
  /** Called before a connection attempt does anything. */
  opened(connection: Connection): void
}

/** Opens simulated connections and keeps them for the checks. */
export interface RealtimeNetwork extends SocketUpstream {
  readonly connections: readonly Connection[]
}

const broke = () => new GatewayError('upstream_error', 'The upstream closed the connection.')
const event = (type: string, fields: object) => JSON.stringify({ type, ...fields })
const failure = (code: string) => event('error', { error: { type: 'server_error', code, message: 'no' } })
const statuses = [401, 429, 429, 500, 503] as const
const [inOrder, broken] = [1000, 1006]

/** Creates the simulated upstreams. */
export function createRealtimeNetwork({ clock, random, log, faultRate, opened }: RealtimeNetworkParts): RealtimeNetwork {
  const connections: Connection[] = []
  const fails = () => random.below(10) < faultRate
  const nap = (signal: AbortSignalLike) => clock.sleep(random.pick([0, 0, 0, 250, 1000, 6000, 30_000]), signal)

  function connect(connection: Connection, listener: FrameListener): FrameSocket {
    const left = new AbortController()
    const waiting: (string | { code: number })[] = []
    let paused = false
    let answers = Promise.resolve()

    function flow(): void {
      while (!paused && connection.state === 'open') {
        const next = waiting.shift()
        if (next === undefined) return
        if (typeof next === 'string') {
          connection.gave.push(next)
          listener.message(next)
        } else {
          connection.state = 'ended'
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
      const response = { id: `${connection.number}.${random.below(1e9)}` }
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
      else say(event('session.created', { session: { id: `sess_${connection.number}` } }))
    }
    answers = begun().catch(() => undefined)

    return {
      send(frame) {
        if (connection.state !== 'open' || typeof frame !== 'string') return false
        connection.took.push(frame)
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
        if (connection.state !== 'open') return
        connection.state = 'stopped'
        left.abort()
        queueMicrotask(() => listener.closed(code, reason))
      },
    }
  }

  /** Undefined: the connection is accepted. */
  async function refusal(signal: AbortSignalLike): Promise<RefusedDial | undefined> {
    const hangs = fails() && oneIn(random, 4)
    await clock.sleep(hangs ? 7_200_000 : random.pick([0, 0, 250, 1000, 5000]), signal)
    if (!fails()) return undefined
    if (oneIn(random, 2)) throw broke()
    return { status: random.pick(statuses), headers: new Headers(), body: JSON.stringify({ error: { message: 'no' } }) }
  }

  return {
    connections,
    async dial(request, listener, signal) {
      const { authorization = '', 'x-session': client = '' } = request.headers
      const place = authorization.replace(/^bearer /i, '')
      const connection: Connection = { number: connections.length, client, place, state: 'dialling', gave: [], took: [] }
      connections.push(connection)
      log.note(`connection ${connection.number} of ${client} on ${place}`)
      opened(connection)
      try {
        const refused = await refusal(signal)
        connection.state = refused ? 'ended' : 'open'
        return refused ?? connect(connection, listener)
      } catch (thrown) {
        connection.state = signal.aborted ? 'stopped' : 'ended'
        throw thrown
      }
    },
  }
}
