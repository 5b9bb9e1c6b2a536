/** What the thread writes of a lot is, byte for byte, what is written piece by piece; and what names say stays in its place. */
import { expect, test } from 'bun:test'
import { noUsage } from '#canonical/usage'
import { systemRandom } from '#runtime/clock'
import type { AttemptRow } from '#shared/console/log'
import { createLot, type TakenLot } from '#telemetry/lot'
import { factsOf, type MeasuredFacts, measuredOf } from '#telemetry/measurement'
import { column, columns } from '#telemetry/span-template'
import { spansText } from '#telemetry/span-text'
import { tracedRequests } from '#telemetry/traced-requests'
import { seeded } from '#testing/seeded'
import { usageRow } from '#testing/usage-row'
import { type ReadyShape, readyCaller, readyShape, spanMessages } from './span-message.ts'

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

/** The thread's output for lots: spans, and facts with measurements. */
function readLots(lots: readonly TakenLot[]) {
  const message = spanMessages('[', ']')
  const [texts, measured]: [string[], (readonly [MeasuredFacts, ...number[]])[]] = [[], []]
  let [epoch, shapes, facts] = [-1, new Map<number, ReadyShape>(), new Map<number, MeasuredFacts>()]
  let callers = new Map<number, Uint8Array>()
  for (const lot of lots) {
    if (lot.epoch !== epoch) [epoch, shapes, facts, callers] = [lot.epoch, new Map(), new Map(), new Map()]
    for (const { number, text } of lot.callers) callers.set(number, readyCaller(text))
    for (const { number, template, facts: its } of lot.shapes) {
      shapes.set(number, readyShape(template))
      facts.set(number, its)
    }
    const { numbers, ids, whole, spans: count } = lot
    const bytes = message([{ count, shapes, callers, numbers, ids, texts: whole.flatMap(({ text }) => (text === '' ? [] : [text])) }])
    texts.push(new TextDecoder().decode(bytes))
    for (let at = 0; at < numbers.length; at += columns) {
      const of = (which: number) => numbers[at + which] ?? Number.NaN
      const its = facts.get(of(column.shape))
      if (its === undefined) throw new Error('a shape that nobody told')
      measured.push([its, of(column.totalMs), of(column.firstTokenMs), of(column.input), of(column.output), of(column.cost)])
    }
    for (const each of whole) measured.push([each.facts, ...each.measured])
  }
  return { spans: texts.flatMap((text) => JSON.parse(text) as { traceId: string; spanId: string }[]), texts, measured }
}

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
      ...{
        key: pick(['ci', 'other', null, ...names]),
        userId: pick(['u', 'marked-caller', ...names]),
        memberId: pick([null, 'mem', ...names]),
      },
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
  const read = readLots(taken)
  // Quotes within names are escaped.
  const spansIn = (text: string) => text.split(/,(?=\{"traceId":")/)
  const written = read.texts.flatMap((text) => (text === '[]' ? [] : spansIn(text.slice(1, -1))))
  expect(written.sort()).toEqual(all.flatMap(({ row, request }) => spansIn(spansText(row, request, vendors))).sort())
  expect(read.spans.length).toBe(all.reduce((sum, { request }) => sum + 1 + request.attempts.length, 0))
  expect(taken.reduce((sum, { spans }) => sum + spans, 0)).toBe(read.spans.length)
  expect(read.measured.map((each) => JSON.stringify(each)).sort()).toEqual(
    all.map(({ row }) => JSON.stringify([factsOf(row, vendors), ...measuredOf(row)])).sort(),
  )
  // Two in five may have a template: no losses, one attempt at most, a plain id.
  expect(taken.reduce((sum, { numbers }) => sum + numbers.length / columns, 0)).toBeGreaterThan(all.length / 4)
})

test('a channel with a changed vendor is reported with it once the lot is refreshed', () => {
  const known = new Map([['one', 'gemini']])
  const lot = createLot(10, () => known)
  const lots: TakenLot[] = []
  const row = usageRow({ requestId: 'one', channel: 'one', attempts: [] })
  const providers = () => {
    for (let times = 0; times < 3; times += 1) lot.add(row, requests.begin('one', new Headers()), true)
    lots.push(lot.take())
    const { texts, measured } = readLots(lots)
    return [texts.at(-1)?.match(/gcp\.[a-z_]+/g), measured.slice(-3).map(([{ provider }]) => provider)]
  }
  const three = (name: string) => [
    [name, name, name],
    [name, name, name],
  ]
  expect(providers()).toEqual(three('gcp.gemini'))
  known.set('one', 'vertex')
  lot.refresh()
  // What was begun before is reported as it was begun.
  expect(providers()).toEqual(three('gcp.gemini'))
  expect(providers()).toEqual(three('gcp.vertex_ai'))
})

test('shapes are sent once, until they are evicted or find no room', () => {
  const lot = createLot(100, () => vendors, { mostShapes: 3 })
  const lots: TakenLot[] = []
  /** Of a lot with two requests of each model: its epoch, shapes told, requests with one, and others. */
  const told = (models: readonly string[]) => {
    for (const model of [...models, ...models])
      lot.add(usageRow({ requestId: 'one', model, channel: 'one', attempts: [] }), requests.begin('one', new Headers()), true)
    const taken = lot.take()
    lots.push(taken)
    return [taken.epoch, taken.shapes.length, taken.numbers.length / columns, taken.whole.length]
  }
  expect(told(['a', 'b'])).toEqual([0, 2, 2, 2])
  lot.refresh()
  expect(told(['a', 'b'])).toEqual([0, 0, 4, 0])
  // The first has the last room.
  expect(told(['c', 'd', 'a'])).toEqual([0, 1, 3, 3])
  expect(told(['c', 'd', 'a'])).toEqual([0, 0, 4, 2])
  lot.refresh()
  expect(told([])).toEqual([0, 0, 0, 0])
  expect(told(['d', 'a'])).toEqual([1, 2, 2, 2])
  lot.forget()
  expect(told(['a'])).toEqual([1, 0, 2, 0])
  expect(told(['a'])).toEqual([2, 1, 1, 1])
  expect(readLots(lots).spans.length).toBe(lots.reduce((sum, { spans }) => sum + spans, 0))
})

test('the caller is not part of a shape, and is sent once while there is room', () => {
  const lot = createLot(100, () => vendors, { mostCallers: 3 })
  const lots: TakenLot[] = []
  const told = (users: readonly string[]) => {
    for (const userId of users)
      lot.add(usageRow({ requestId: 'one', userId, key: 'k', attempts: [] }), requests.begin('one', new Headers()), true)
    const taken = lot.take()
    lots.push(taken)
    return [taken.epoch, taken.shapes.length, taken.callers.length, taken.whole.length]
  }
  // The first request of a shape is whole.
  expect(told(['ann', 'ann', 'bob'])).toEqual([0, 1, 2, 1])
  expect(told(['ann', 'bob', 'cid', 'dan', 'eve'])).toEqual([0, 0, 1, 2])
  lot.refresh()
  told([])
  expect(told(['dan', 'dan', 'ann'])).toEqual([1, 1, 2, 1])
  const users = readLots(lots).texts.flatMap((text) =>
    [...text.matchAll(/"user\.id","value":\{"stringValue":"(\w+)"/g)].map(([, user]) => user),
  )
  expect(users.sort()).toEqual(['ann', 'ann', 'ann', 'ann', 'bob', 'bob', 'cid', 'dan', 'dan', 'dan', 'eve'])
})

test('a request that is larger than a lot has its room', () => {
  const lot = createLot(10, () => vendors)
  const losses = Array.from({ length: 5_000 }, () => ({ field: 'f'.repeat(50), what: 'dropped' as const, reason: 'r'.repeat(50) }))
  for (const some of [[], losses, []])
    lot.add(usageRow({ requestId: 'one', attempts: [], losses: some }), requests.begin('one', new Headers()), true)
  expect(readLots([lot.take()]).spans.length).toBe(3)
  expect(lot.size()).toBe(0)
})
