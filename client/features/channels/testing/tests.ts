/** Tests of models or channels: a few at a time, each with its state; stopping keeps the results so far. */
import { type Accessor, createSignal, onCleanup } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { asApiError } from '#client/console/load.ts'
import type { ProbeAnswer, ProbeQuestion } from '#shared/console/inspection/probe'

/** The state of a test. */
export interface Test {
  state: 'waiting' | 'asking' | 'ok' | 'bad'
  /** Milliseconds until the answer was complete, or since the request if it is running. */
  ms?: number
  /** The result; undefined if Parley itself refused. */
  answer?: ProbeAnswer
  problem?: string
}

/** The request of one test: a channel, and one of its models or any. */
export interface Asked extends ProbeQuestion {
  channel: string
}

/** A set of tests by id. */
export interface Tests {
  of(id: string): Test | undefined
  running: Accessor<boolean>
  /** How many are done, and how many of these failed. */
  counts(): { done: number; failed: number }
  run(ids: readonly string[], streamed: boolean): Promise<void>
  stop(): void
}

/** Concurrent tests. */
const atOnce = 4
/** Interval in milliseconds at which the elapsed time of a running test is updated. */
const tickMs = 200

/** Creates an empty set of tests. `askedOf`: the request for an id. */
export function createTests(askedOf: (id: string) => Asked): Tests {
  const [tests, setTests] = createSignal<ReadonlyMap<string, Test>>(new Map())
  const [running, setRunning] = createSignal(false)
  let aborter = new AbortController()
  onCleanup(() => aborter.abort())
  const change = (turn: (next: Map<string, Test>) => void) => {
    const next = new Map(tests())
    turn(next)
    setTests(next)
  }

  async function ask(id: string, stream: boolean, signal: AbortSignal): Promise<void> {
    const begun = performance.now()
    const show = () => change((next) => next.set(id, { state: 'asking', ms: performance.now() - begun }))
    show()
    const ticks = setInterval(show, tickMs)
    const { channel, ...question } = askedOf(id)
    const path = `/api/channels/${encodeURIComponent(channel)}/test`
    try {
      const answer = await callApi<ProbeAnswer>('POST', path, { ...question, stream, detail: true }, signal)
      const { ok, ms, error } = answer
      change((next) => next.set(id, { state: ok ? 'ok' : 'bad', ms, answer, ...(error && { problem: error.message }) }))
    } catch (thrown) {
      change((next) => {
        if (signal.aborted) next.delete(id)
        else next.set(id, { state: 'bad', problem: explain(asApiError(thrown)) })
      })
    } finally {
      clearInterval(ticks)
    }
  }

  return {
    of: (id) => tests().get(id),
    running,
    counts() {
      const done = [...tests().values()].filter(({ state }) => state === 'ok' || state === 'bad')
      return { done: done.length, failed: done.filter(({ state }) => state === 'bad').length }
    },
    async run(ids, streamed) {
      if (running()) return
      aborter = new AbortController()
      const { signal } = aborter
      setRunning(true)
      change((next) => ids.forEach((id) => void next.set(id, { state: 'waiting' })))
      const left = [...ids]
      const worker = async () => {
        for (let id = left.shift(); id !== undefined && !signal.aborted; id = left.shift()) await ask(id, streamed, signal)
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
      change((next) => next.forEach(({ state }, id) => void (state === 'waiting' && next.delete(id))))
      setRunning(false)
    },
    stop: () => aborter.abort(),
  }
}
