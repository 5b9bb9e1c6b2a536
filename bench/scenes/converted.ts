/** Requests whose client uses another dialect than the provider. */
import type { Route } from '../subjects/subject.ts'
import { closedLoop } from './requests.ts'
import type { Scene } from './scene.ts'
import { burst, paced } from './streams.ts'

const routes: readonly (Route & { title: string })[] = [
  { title: 'Chat client, Messages provider', client: 'chat', upstream: 'messages' },
  { title: 'Messages client, Chat provider', client: 'messages', upstream: 'chat' },
]

/** One scene for each direction. nginx converts nothing: its figures are those of the client's dialect on both sides. */
export const convertedScenes: readonly Scene[] = routes.map((route) => ({
  title: route.title,
  remark: 'The loads of whole answers, of streams without pause, and of 100 streams with an event every 20 ms.',
  rounds: 2,
  columns: [
    { key: 'request', title: 'CPU µs/request', digits: 1, beside: 'times', least: true },
    { key: 'burst', title: 'µs/event without pause', digits: 2, beside: 'times', least: true },
    { key: 'paced', title: 'µs/event paced', digits: 1, beside: 'times', least: true },
    { key: 'late', title: 'late p99 ms', digits: 2 },
    { key: 'faults', title: 'faults', digits: 0 },
  ],
  async measure(stage, running) {
    const request = await closedLoop(stage, running, route)
    const fast = await burst(stage, running, route)
    const slow = request && (await paced(stage, running, { count: 100, paceMs: 20 }, route))
    if (request === undefined || fast === undefined || slow === undefined) return undefined
    const sum = (request.faults ?? 0) + (fast.faults ?? 0) + (slow.lost ?? 0)
    return { request: request.cpu, burst: fast.event, paced: slow.event, late: slow.p99, faults: sum } as Record<string, number>
  },
}))
