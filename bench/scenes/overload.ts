/** Three times the load that a subject can serve: what it accepts should be in time, the rest refused at once. */
import { idle, memoryOfTree } from '../load/processes.ts'
import { chat, type Running } from '../subjects/subject.ts'
import { faults, load, type Scene, type Stage, warmUp } from './scene.ts'

const times = 3
/** Milliseconds within which a request counts as in time again after the overload. */
const calmMs = 50

/** The code of a refusal because the accounts did not answer in time, which load alone must not cause. */
const noAccounts = 'books_unavailable'

/** Overload. */
export const overload: Scene = {
  title: `${times} times the capacity`,
  remark: [
    'The capacity is what 64 connections reach. Then three times as much is offered, timed from when it was due. Accounts away: refusals',
    "because Parley's own accounts did not answer. Again in time: until ten requests in a row take less than 50 ms. Memory is measured at",
    'rest, during the overload, and a minute after.',
  ].join(' '),
  rounds: 1,
  fresh: true,
  withoutNginx: true,
  columns: [
    { key: 'capacity', title: 'capacity/s', digits: 0 },
    { key: 'accepted', title: 'accepted/s', digits: 0 },
    { key: 'p50', title: 'p50 ms', digits: 0 },
    { key: 'p99', title: 'p99 ms', digits: 0 },
    { key: 'refused', title: 'refused/s', digits: 0 },
    { key: 'refusedP50', title: 'refused p50 ms', digits: 1 },
    { key: 'refusedP99', title: 'refused p99 ms', digits: 1 },
    { key: 'other', title: 'neither 200 nor 503', digits: 0 },
    { key: 'accounts', title: 'accounts away', digits: 0 },
    { key: 'unanswered', title: 'unanswered or unsent', digits: 0 },
    { key: 'calm', title: 'again in time ms', digits: 0 },
    { key: 'before', title: 'MB before', digits: 0 },
    { key: 'peak', title: 'MB during', digits: 0 },
    { key: 'after', title: 'MB after', digits: 0 },
  ],
  async measure(stage, running) {
    const before = memoryOfTree(running.pid)
    await warmUp(stage, running, { connections: 64, seconds: 1.5 })
    const normal = await load(stage, running, { connections: 64, seconds: stage.quick ? 1 : 3 })
    await idle(running.pid)
    if (normal === undefined) return undefined
    const capacity = normal.ok / normal.seconds
    const seconds = stage.quick ? 3 : 10
    const storm = load(stage, running, { connections: 8000, rate: times * capacity, warm: 1, seconds, word: noAccounts })
    await Bun.sleep(seconds * 1000)
    const peak = memoryOfTree(running.pid)
    const seen = await storm
    if (seen === undefined) return undefined
    const calm = await untilCalm(stage, running)
    await Bun.sleep(stage.quick ? 5000 : 60_000)
    const { latency, refused, statuses } = seen
    return {
      capacity,
      accepted: latency.count / seconds,
      p50: latency.p50 / 1000,
      p99: latency.p99 / 1000,
      refused: refused.count / seconds,
      refusedP50: refused.p50 / 1000,
      refusedP99: refused.p99 / 1000,
      other: faults(seen) - (statuses['503'] ?? 0),
      accounts: seen.named,
      unanswered: seen.unanswered + seen.unsent,
      calm,
      before,
      peak,
      after: memoryOfTree(running.pid),
    }
  },
}

/** Milliseconds until ten requests in a row were in time, one after the other. */
async function untilCalm(stage: Stage, running: Running): Promise<number> {
  const begun = performance.now()
  while (performance.now() - begun < 60_000) {
    const seen = await load(stage, running, { route: chat, connections: 1, rate: 100, seconds: 0.1 })
    if (seen !== undefined && faults(seen) === 0 && seen.latency.count >= 9 && seen.latency.longest < calmMs * 1000) break
  }
  return performance.now() - begun
}
