/** Whole answers: as many as 64 connections get, then a fixed rate that most subjects can serve. */
import type { Route, Running } from '../subjects/subject.ts'
import { type Figures, faults, load, loadAndCount, type Scene, type Stage, warmUp } from './scene.ts'

const connections = 64
const perSecond = 500

/** CPU per request under as much load as `connections` connections make. */
export async function closedLoop(stage: Stage, running: Running, route: Route): Promise<Figures | undefined> {
  await warmUp(stage, running, { route, connections, seconds: stage.quick ? 0.5 : 1.5 })
  const seen = await loadAndCount(stage, running, { route, connections, seconds: stage.quick ? 1 : 4 })
  if (seen === undefined) return undefined
  const { cost, latency, seconds } = seen
  return {
    cpu: cost.cpu / cost.requests,
    main: cost.main / cost.requests,
    database: cost.database / cost.requests,
    rate: seen.ok / seconds,
    p50: latency.p50 / 1000,
    p99: latency.p99 / 1000,
    faults: faults(seen),
  }
}

/** Whole answers, Chat on both sides. */
export const requests: Scene = {
  title: 'Whole answers',
  remark: `A prompt of 300 characters, an answer of 600; ${connections} connections, each sending its next request at once; then ${perSecond} requests a second, timed from when they were due.`,
  rounds: 3,
  direct: true,
  columns: [
    { key: 'cpu', title: 'CPU µs/request', digits: 1, beside: 'times', least: true },
    { key: 'main', title: 'of it main thread', digits: 1, least: true },
    { key: 'database', title: 'database µs', digits: 1, least: true },
    { key: 'rate', title: 'requests/s', digits: 0 },
    { key: 'p50', title: 'p50 ms', digits: 2 },
    { key: 'p99', title: 'p99 ms', digits: 2 },
    { key: 'steadyP50', title: `p50 µs at ${perSecond}/s`, digits: 0, beside: 'more' },
    { key: 'steadyP99', title: 'p99 µs', digits: 0 },
    { key: 'faults', title: 'faults', digits: 0 },
  ],
  async measure(stage, running) {
    const route: Route = { client: 'chat', upstream: 'chat' }
    const closed = await closedLoop(stage, running, route)
    const seconds = stage.quick ? 1 : 4
    const steady = await load(stage, running, { route, connections: 512, rate: perSecond, warm: 0.5, seconds })
    if (closed === undefined || steady === undefined) return undefined
    const { latency } = steady
    return { ...closed, steadyP50: latency.p50, steadyP99: latency.p99, faults: (closed.faults ?? 0) + faults(steady) + steady.unsent }
  },
}
