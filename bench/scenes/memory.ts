/** Memory that open requests hold: silent streams, and long prompts whose answers have not begun. */
import { idle, memoryOfTree } from '../load/processes.ts'
import type { Running } from '../subjects/subject.ts'
import { faults, load, loadAndCount, type Scene, type Stage, warmUp } from './scene.ts'

/** Resident memory after some work has warmed the subject up, in megabytes. */
async function warmMemory(stage: Stage, running: Running): Promise<number> {
  await warmUp(stage, running, { connections: 8, seconds: 1 })
  await warmUp(stage, running, { stream: true, connections: 8, seconds: 1 })
  await idle(running.pid)
  return memoryOfTree(running.pid)
}

/** Open streams without events. */
export const silent = (count: number): Scene => ({
  title: `${count} silent streams`,
  remark: 'Each stream has had its first event and waits for the next. Memory is compared with that of the warm process before them.',
  rounds: 1,
  fresh: true,
  columns: [
    { key: 'open', title: 'open', digits: 0 },
    { key: 'each', title: 'kB each', digits: 1, beside: 'times' },
    { key: 'before', title: 'MB before', digits: 0 },
    { key: 'during', title: 'MB with all', digits: 0 },
    { key: 'first', title: 'first event p99 ms', digits: 1 },
    { key: 'faults', title: 'faults', digits: 0 },
  ],
  async measure(stage, running) {
    const before = await warmMemory(stage, running)
    const opening = Math.max(2, count / 1000)
    const following = load(stage, running, {
      ...{ stream: true, connections: count, ramp: count / opening, seconds: opening + 5 },
      ...{ pace: { pace: 600_000, events: 2 } },
    })
    await Bun.sleep((opening + 4) * 1000)
    const { active } = await stage.provider.counts()
    const during = memoryOfTree(running.pid)
    const seen = await following
    if (seen === undefined) return undefined
    return { open: active, each: ((during - before) * 1024) / active, before, during, first: seen.first.p99 / 1000, faults: faults(seen) }
  },
})

const waiting = 64

/** Prompts of a megabyte. */
export const large: Scene = {
  title: 'Prompts of 1 MB',
  remark: `Memory: ${waiting} requests that wait for their answer, compared with the warm process before them. Then 8 connections, each sending its next request at once.`,
  rounds: 1,
  fresh: true,
  columns: [
    { key: 'cpu', title: 'CPU µs/request', digits: 0, beside: 'times' },
    { key: 'rate', title: 'requests/s', digits: 0 },
    { key: 'p50', title: 'p50 ms', digits: 2 },
    { key: 'each', title: 'MB each while waiting', digits: 2, beside: 'times' },
    { key: 'faults', title: 'faults', digits: 0 },
  ],
  async measure(stage, running) {
    const characters = 1_000_000
    const before = await warmMemory(stage, running)
    const held = load(stage, running, { connections: waiting, characters, seconds: 4, pace: { wait: 10_000 } })
    await Bun.sleep(3000)
    const during = memoryOfTree(running.pid)
    const { active } = await stage.provider.counts()
    const then = await held
    const seen = await loadAndCount(stage, running, { connections: 8, characters, seconds: stage.quick ? 1 : 4 })
    if (seen === undefined || then === undefined) return undefined
    return {
      cpu: seen.cost.cpu / seen.cost.requests,
      rate: seen.ok / seen.seconds,
      p50: seen.latency.p50 / 1000,
      each: (during - before) / active,
      faults: faults(seen) + faults(then),
    }
  },
}
