/** Finished requests on their way to the thread that tells the collector. */
import { expect, test } from 'bun:test'
import { systemRandom } from '#runtime/clock'
import type { AttemptRow } from '#shared/console/log'
import { handClock } from '#testing/hand-clock'
import { usageRow } from '#testing/usage-row'
import { type CollectorState, type FinishedMessage, handOver } from './hand-over.ts'
import { columns } from './span-template.ts'
import { tracedRequests } from './traced-requests.ts'

const limits = { lot: 3, delayMs: 100, beatMs: 5_000, underway: 8 }

interface Sent extends FinishedMessage {
  answer: PromiseWithResolvers<CollectorState>
}

function thread() {
  const clock = handClock()
  const sent: Sent[] = []
  const reported: CollectorState[] = []
  const failures: unknown[] = []
  const rows = handOver({
    ...{ limits, clock },
    openRequests: () => 7,
    vendors: () => new Map(),
    ...{ traces: true, metrics: true },
    send(message) {
      const answer = Promise.withResolvers<CollectorState>()
      sent.push({ ...message, answer })
      return answer.promise
    },
    reported: (state) => void reported.push(state),
    failed: (error) => void failures.push(error),
  })
  return {
    clock,
    sent,
    reported,
    failures,
    rows,
    lots: () => sent.map(({ numbers, whole }) => numbers.length / columns + whole.length),
  }
}

const requests = tracedRequests({ now: () => 1_700_000_000_000 }, systemRandom, (traceId) => traceId !== skipped)
const skipped = '4bf92f3577b34da6a3ce929d0e0e4736'
const attempt: AttemptRow = { channel: 'one', key: null, phase: 'done', status: 200, cause: null, ms: 40 }
const row = usageRow({ requestId: 'one', attempts: [attempt, attempt], totalMs: 1 })

/** A request with two attempts, three spans in all. */
function request(sampled = true) {
  const begun = requests.begin('one', new Headers(sampled ? {} : { traceparent: `00-${skipped}-00f067aa0ba902b7-01` }))
  for (const each of row.attempts) begun.begin(each)
  return begun
}
const spansIn = ({ whole }: FinishedMessage) =>
  JSON.parse(`[${whole.flatMap(({ text }) => (text === '' ? [] : [text])).join(',')}]`) as { spanId: string }[]

test('a lot goes a moment after its first request, by one timer', async () => {
  const { clock, sent, rows } = thread()
  const before = clock.pending()
  const both = [request(), request()]
  for (const each of both) rows.add(row, each)
  expect(clock.pending()).toBe(before + 1)
  expect(sent).toEqual([])
  await clock.advance(limits.delayMs)
  expect(sent).toMatchObject([
    { spans: 6, whole: [{ facts: { provider: 'parley' } }, { facts: { provider: 'parley' } }], open: 7, lost: 0 },
  ])
  const ids = both.flatMap(({ spanId, attempts }) => [spanId, ...attempts.map((each) => each.spanId)])
  expect(sent.flatMap(spansIn).map(({ spanId }) => spanId)).toEqual(ids)
  rows.add(row, request())
  await clock.advance(limits.delayMs)
  expect(sent.length).toBe(2)
})

test('a full lot goes at once', async () => {
  const { clock, rows, lots } = thread()
  for (let count = 0; count < 7; count += 1) rows.add(row, request())
  expect(lots()).toEqual([3, 3])
  await clock.advance(limits.delayMs)
  expect(lots()).toEqual([3, 3, 1])
})

test('what is not sampled is measured, and no span', async () => {
  const { sent, rows, lots } = thread()
  for (const sampled of [true, false, true]) rows.add(row, request(sampled))
  expect(sent).toMatchObject([{ spans: 6 }])
  expect(sent.flatMap(spansIn).length).toBe(6)
  expect(lots()).toEqual([3])
})

test('what finds too many on their way is dropped, and so is what a thread took that is gone; their spans are counted', async () => {
  const { clock, sent, failures, rows } = thread()
  for (let count = 0; count < limits.underway + 2; count += 1) rows.add(row, request())
  rows.add(row, request(false))
  expect(rows.lost()).toBe(2 * 3)
  await clock.advance(limits.delayMs)
  rows.add(row, request())
  expect(rows.lost()).toBe(3 * 3)
  sent[0]?.answer.reject(new Error('gone'))
  await clock.advance(0)
  expect([rows.lost(), failures]).toEqual([3 * 3 + 3 * 3, [new Error('gone')]])
  rows.add(row, request())
  await clock.advance(limits.delayMs)
  expect(sent.at(-1)).toMatchObject({ spans: 3, lost: 18 })
})

test('the thread is asked how the collector does when nothing happens, too', async () => {
  const { clock, sent, reported } = thread()
  await clock.advance(2 * limits.beatMs)
  expect(sent).toMatchObject([
    { spans: 0, whole: [], open: 7 },
    { spans: 0, whole: [], open: 7 },
  ])
  sent[0]?.answer.resolve({ dropped: 2 })
  await clock.advance(0)
  expect(reported).toEqual([{ dropped: 2 }])
})

test('the end hands over what waits, and waits for the answers', async () => {
  const { clock, sent, rows, lots } = thread()
  for (let count = 0; count < 5; count += 1) rows.add(row, request())
  const closed = rows.close()
  expect(lots()).toEqual([3, 2])
  for (const { answer } of sent) answer.resolve({ dropped: 0 })
  await closed
  expect(clock.pending()).toBe(0)
})
