/** What is written by templates is, byte for byte, what is written piece by piece; and what names say stays in its place. */
import { expect, test } from 'bun:test'
import { noUsage } from '#canonical/usage'
import { systemRandom } from '#runtime/clock'
import type { AttemptRow } from '#shared/console/log'
import { seeded } from '#testing/seeded'
import { usageRow } from '#testing/usage-row'
import { createLot, type TakenLot } from './lot.ts'
import { factsOf, measuredOf } from './measurement.ts'
import { spansText } from './span-text.ts'
import { tracedRequests } from './traced-requests.ts'

const vendors = new Map([['one', 'gemini']])
const { pick, below } = seeded(11)
const requests = tracedRequests({ now: () => 1_700_000_000_000 + below(1e9) }, systemRandom, () => true)
/** Names that look like what a template puts in, and names that run into each other. */
const names: [string, ...string[]] = [
  'm',
  'm2',
  '',
  'a"b',
  '1111111111111000000',
  '{"intValue":"100000001"}',
  'marked-request',
  '漢',
  '9876.543210123',
  '1:a',
  'a1:',
]

function usage() {
  const used = noUsage()
  Object.assign(used.in, { fresh: below(1e6), cacheRead: pick([0, 0, below(1e6)]), audio: pick([0, below(9)]) })
  Object.assign(used.out, { total: below(1e6), reasoning: pick([0, below(1e5)]) })
  return used
}

const attempt = (): AttemptRow => ({
  ...{
    channel: pick(['one', 'gone']),
    key: pick([null, 'first']),
    phase: pick(['done', 'connect'] as const),
    ms: pick([below(1e5), 1.25]),
  },
  ...{ status: pick([null, 200, 500]), cause: pick([null, null, 'upstream_error']) },
  ...pick([{}, { model: pick(names) }]),
})

function finished() {
  const attempts = Array.from({ length: pick([0, 1, 1, 1, 1, 1, 2]) }, attempt)
  const row = usageRow({
    ...{ requestId: pick([`req_${systemRandom.hex(8)}`, systemRandom.hex(12), 'not " plain']), attempts, at: new Date(1e12 + below(1e12)) },
    ...{
      totalMs: pick([below(1e6), 2.5]),
      firstTokenMs: pick([null, below(1e5)]),
      usage: pick([null, usage()]),
      cost: BigInt(below(1e12)),
    },
    ...{
      model: pick(names),
      upstreamModel: pick([null, 'm-2']),
      group: pick(names),
      key: pick(['ci', 'other']),
      channel: pick([null, 'one']),
    },
    ...{
      stream: pick([true, false]),
      status: pick([200, 502]),
      error: pick([null, { code: 'upstream_error' as const, message: 'secret' }]),
    },
    losses: pick([[], [], [], [{ field: 'a', what: 'dropped' as const, reason: 'b' }]]),
  })
  const parent = pick(['', `00-${systemRandom.hex(16)}-${systemRandom.hex(8)}-01`])
  const request = requests.begin(row.requestId, new Headers(parent === '' ? {} : { traceparent: parent }))
  for (const each of attempts) request.begin(each)
  return { row, request }
}

test('every request as if it were the only one', () => {
  const lot = createLot(64, () => vendors)
  // Few enough shapes that most come again and again.
  const prototypes = [finished(), ...Array.from({ length: 300 }, finished)] as const
  const all = Array.from({ length: 3_000 }, () => {
    const { row, request } = pick(prototypes)
    const [attempts, another] = [row.attempts.map((each) => ({ ...each, ms: below(1e6) })), finished()]
    const again = requests.begin(
      '',
      new Headers(request.parent ? { traceparent: `00-${systemRandom.hex(16)}-${systemRandom.hex(8)}-01` } : {}),
    )
    for (const each of attempts) again.begin(each)
    const { at, totalMs, cost } = another.row
    const used = row.usage && usage()
    const firstTokenMs = row.firstTokenMs == null ? null : below(1e5)
    return { row: { ...row, at, totalMs, cost, attempts, usage: used, firstTokenMs, requestId: another.row.requestId }, request: again }
  })
  const taken: TakenLot[] = []
  for (const { row, request } of all) {
    lot.add(row, request, true)
    if (lot.isFull()) taken.push(lot.take())
  }
  taken.push(lot.take())
  const texts = taken.map(({ spans }) => new TextDecoder().decode(spans.bytes))
  expect(texts.filter((text) => text !== '').join(',')).toBe(all.map(({ row, request }) => spansText(row, request, vendors)).join(','))
  expect(taken.reduce((sum, { spans }) => sum + spans.count, 0)).toBe(
    all.reduce((sum, { request }) => sum + 1 + request.attempts.length, 0),
  )
  const measurements = taken.flatMap((each) => each.measurements)
  const counted = measurements.flatMap(({ values, ...facts }) => values.map((value) => JSON.stringify([facts, value])))
  expect(counted.sort()).toEqual(all.map(({ row }) => JSON.stringify([factsOf(row, vendors), measuredOf(row)])).sort())
  expect(measurements.length).toBeLessThan(all.length)
})

test('a channel that has another vendor is told as such once the lot forgets', () => {
  const known = new Map([['one', 'gemini']])
  const lot = createLot(10, () => known)
  const row = usageRow({ requestId: 'one', channel: 'one', attempts: [] })
  const providers = () => {
    for (let times = 0; times < 3; times += 1) lot.add(row, requests.begin('one', new Headers()), true)
    const { spans, measurements } = lot.take()
    return [new TextDecoder().decode(spans.bytes).match(/gcp\.[a-z_]+/g), measurements.map(({ provider }) => provider)]
  }
  expect(providers()).toEqual([['gcp.gemini', 'gcp.gemini', 'gcp.gemini'], ['gcp.gemini']])
  known.set('one', 'vertex')
  lot.forget()
  expect(providers()).toEqual([['gcp.vertex_ai', 'gcp.vertex_ai', 'gcp.vertex_ai'], ['gcp.vertex_ai']])
})

test('a request that is larger than a lot has its room', () => {
  const lot = createLot(10, () => vendors)
  const losses = Array.from({ length: 5_000 }, () => ({ field: 'f'.repeat(50), what: 'dropped' as const, reason: 'r'.repeat(50) }))
  for (const some of [[], losses, []])
    lot.add(usageRow({ requestId: 'one', attempts: [], losses: some }), requests.begin('one', new Headers()), true)
  expect(JSON.parse(`[${new TextDecoder().decode(lot.take().spans.bytes)}]`).length).toBe(3)
  expect(lot.size()).toBe(0)
})
