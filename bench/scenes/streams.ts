/** Streams: as fast as the client reads, and paced like a model's output. */
import { memoryOfTree } from '../load/processes.ts'
import { chat, type Route, type Running } from '../subjects/subject.ts'
import { counting, type Figures, faults, load, loadAndCount, type Scene, type Stage, warmUp } from './scene.ts'

/** CPU per event of streams without pause. */
export async function burst(stage: Stage, running: Running, route: Route): Promise<Figures | undefined> {
  const demand = { route, stream: true, connections: 16 }
  await warmUp(stage, running, { ...demand, seconds: stage.quick ? 0.5 : 1.5 })
  const seen = await loadAndCount(stage, running, { ...demand, seconds: stage.quick ? 1 : 4 })
  if (seen === undefined) return undefined
  const { cost, late, seconds } = seen
  return {
    event: cost.cpu / cost.events,
    stream: cost.cpu / cost.requests,
    main: cost.main / cost.events,
    rate: late.count / seconds,
    faults: faults(seen),
  }
}

/** Streams without pause, Chat on both sides. */
export const streams: Scene = {
  title: 'Streams without pause',
  remark: '16 connections, 200 events a stream, as fast as the client reads.',
  rounds: 3,
  direct: true,
  columns: [
    { key: 'event', title: 'CPU µs/event', digits: 2, beside: 'times', least: true },
    { key: 'main', title: 'of it main thread', digits: 2, least: true },
    { key: 'stream', title: 'CPU µs/stream', digits: 0, beside: 'times', least: true },
    { key: 'rate', title: 'events/s', digits: 0 },
    { key: 'faults', title: 'faults', digits: 0 },
  ],
  measure: (stage, running) => burst(stage, running, chat),
}

/** A set of concurrent paced streams. */
export interface Crowd {
  count: number
  paceMs: number
}

const crowds: readonly Crowd[] = [
  { count: 100, paceMs: 20 },
  { count: 1000, paceMs: 100 },
  { count: 5000, paceMs: 1000 },
]

/**
 * CPU per event, and how late events are, while all streams run. They are opened over some seconds, and each is read to its end: `lost`
 * counts those that were refused, cut, or lack an event.
 */
export async function paced(stage: Stage, running: Running, { count, paceMs }: Crowd, route: Route = chat): Promise<Figures | undefined> {
  const opening = Math.max(1, (count * paceMs) / 500_000)
  const warm = opening + 1
  const seconds = stage.quick ? 2 : Math.max(6, (paceMs * 12) / 1000)
  const events = Math.ceil(((warm + seconds + 1) * 1000) / paceMs)
  const following = load(stage, running, {
    ...{ route, stream: true, connections: count, ramp: count / opening, once: true },
    ...{ warm, seconds, pace: { pace: paceMs, events } },
  })
  await Bun.sleep(warm * 1000)
  const stop = await counting(stage, running)
  await Bun.sleep(seconds * 1000)
  const cost = await stop()
  const memory = memoryOfTree(running.pid)
  const seen = await following
  if (seen === undefined) return undefined
  // Per event that arrived: the provider may be far ahead of a subject that lags.
  return {
    event: cost.cpu / seen.late.count,
    main: cost.main / seen.late.count,
    rate: seen.late.count / seconds,
    p50: seen.late.p50 / 1000,
    p99: seen.late.p99 / 1000,
    longest: seen.late.longest / 1000,
    first: seen.first.p50 / 1000,
    lost: faults(seen) + seen.unanswered,
    memory,
  }
}

/** One scene for each set. */
export const pacedScenes: readonly Scene[] = crowds.map((crowd) => ({
  title: `${crowd.count} streams, an event every ${crowd.paceMs} ms`,
  remark: 'Lateness is the time from when the provider sent an event to when the client received it; every stream is read to its end.',
  rounds: 1,
  direct: true,
  columns: [
    { key: 'event', title: 'CPU µs/event', digits: 1, beside: 'times' },
    { key: 'main', title: 'of it main thread', digits: 1 },
    { key: 'rate', title: 'events/s', digits: 0 },
    { key: 'p50', title: 'late p50 ms', digits: 2 },
    { key: 'p99', title: 'late p99 ms', digits: 2, beside: 'more' },
    { key: 'longest', title: 'longest ms', digits: 1 },
    { key: 'first', title: 'first event p50 ms', digits: 2, beside: 'more' },
    { key: 'lost', title: 'lost streams', digits: 0 },
    { key: 'memory', title: 'memory MB', digits: 0 },
  ],
  measure: (stage, running) => paced(stage, running, crowd),
}))
