/** Tests of a channel's models: a few at a time, each with its state, and a way to stop that keeps what has come. */
import { type Accessor, createSignal, onCleanup } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { asApiError } from '#client/console/load.ts'
import type { ProbeAnswer } from '#shared/console/inspection/probe'

/** How far the test of a model is. */
export interface ModelTest {
  state: 'waiting' | 'asking' | 'ok' | 'bad'
  /** Milliseconds: until the answer was complete, or since it was asked. */
  ms?: number
  status?: number | null
  problem?: string
}

/** The tests of a channel. */
export interface ModelTests {
  of(model: string): ModelTest | undefined
  running: Accessor<boolean>
  /** How many have answered, and how many of these failed. */
  counts(): { done: number; failed: number }
  run(models: readonly string[], streamed: boolean): Promise<void>
  stop(): void
}

/** How many models are tested at the same time. */
const atOnce = 4
/** Milliseconds between two figures of a test that is under way. */
const tickMs = 200

/** No test has run. `path` is that of the channel. */
export function createModelTests(path: Accessor<string>): ModelTests {
  const [tests, setTests] = createSignal<ReadonlyMap<string, ModelTest>>(new Map())
  const [running, setRunning] = createSignal(false)
  let aborter = new AbortController()
  onCleanup(() => aborter.abort())
  const change = (turn: (next: Map<string, ModelTest>) => void) => {
    const next = new Map(tests())
    turn(next)
    setTests(next)
  }

  async function ask(model: string, streamed: boolean, signal: AbortSignal): Promise<void> {
    const begun = performance.now()
    const show = () => change((next) => next.set(model, { state: 'asking', ms: performance.now() - begun }))
    show()
    const ticks = setInterval(show, tickMs)
    try {
      const { ok, ms, status, error } = await callApi<ProbeAnswer>('POST', `${path()}/test`, { model, stream: streamed }, signal)
      change((next) => next.set(model, { state: ok ? 'ok' : 'bad', ms, status, ...(error && { problem: error.message }) }))
    } catch (thrown) {
      change((next) => {
        if (signal.aborted) next.delete(model)
        else next.set(model, { state: 'bad', problem: explain(asApiError(thrown)) })
      })
    } finally {
      clearInterval(ticks)
    }
  }

  return {
    of: (model) => tests().get(model),
    running,
    counts() {
      const done = [...tests().values()].filter(({ state }) => state === 'ok' || state === 'bad')
      return { done: done.length, failed: done.filter(({ state }) => state === 'bad').length }
    },
    async run(models, streamed) {
      if (running()) return
      aborter = new AbortController()
      const { signal } = aborter
      setRunning(true)
      change((next) => models.forEach((model) => void next.set(model, { state: 'waiting' })))
      const left = [...models]
      const worker = async () => {
        for (let model = left.shift(); model !== undefined && !signal.aborted; model = left.shift()) await ask(model, streamed, signal)
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
      change((next) => next.forEach(({ state }, model) => void (state === 'waiting' && next.delete(model))))
      setRunning(false)
    },
    stop: () => aborter.abort(),
  }
}
