/** What a finished request costs the thread that carries streams: nothing on its own turn, and lots of a bounded size later. */
import { expect, test } from 'bun:test'
import type { NewLog } from '#store/ledger/ledger'
import { handClock } from '#testing/hand-clock'
import { type CollectorState, type FinishedMessage, handOver } from './hand-over.ts'
import type { TracedRequest } from './traced-requests.ts'

const limits = { lot: 3, delayMs: 100, beatMs: 5_000, underway: 8 }

interface Sent extends FinishedMessage {
  answer: PromiseWithResolvers<CollectorState>
}

function thread() {
  const clock = handClock()
  const sent: Sent[] = []
  const told: CollectorState[] = []
  const failures: unknown[] = []
  const rows = handOver({
    ...{ limits, clock },
    openRequests: () => 7,
    vendors: () => new Map(),
    spans: (row) => row.requestId,
    measurement: () => ({ ms: 1 }),
    send(message) {
      const answer = Promise.withResolvers<CollectorState>()
      sent.push({ ...message, answer })
      return answer.promise
    },
    told: (state) => void told.push(state),
    failed: (error) => void failures.push(error),
  })
  return { clock, sent, told, failures, rows, lots: () => sent.map(({ measurements }) => JSON.parse(measurements).length as number) }
}

/** A row and a trace that count how often something of them is read. */
function watched(reads: string[]) {
  const handler = {
    get(target: object, name: string) {
      reads.push(name)
      return Reflect.get(target, name)
    },
  }
  const row = new Proxy({ requestId: 'one' }, handler) as NewLog
  const request = new Proxy({ sampled: true, attempts: [{}] }, handler) as unknown as TracedRequest
  return [row, request] as const
}
const request = (sampled = true) => ({ sampled, attempts: [{}, {}] }) as unknown as TracedRequest
const row = { requestId: 'one' } as NewLog

test('on the turn of a request nothing of it is read, written down or sent', async () => {
  const { clock, sent, rows } = thread()
  const reads: string[] = []
  rows.add(...watched(reads))
  expect([reads, sent]).toEqual([[], []])
  await clock.advance(limits.delayMs)
  expect(reads).toContain('requestId')
  expect(sent).toMatchObject([{ spans: { text: 'one', count: 2 }, measurements: '[{"ms":1}]', open: 7, lost: 0 }])
})

test('many requests go in lots, each on a turn of its own, by one timer', async () => {
  const { clock, rows, lots } = thread()
  const before = clock.pending()
  for (let count = 0; count < 7; count += 1) rows.add(row, request())
  expect(clock.pending()).toBe(before + 1)
  await clock.advance(limits.delayMs)
  expect(lots()).toEqual([3, 3, 1])
})

test('what is not sampled is measured, and no span', async () => {
  const { clock, sent, rows } = thread()
  for (const sampled of [true, false, true]) rows.add(row, request(sampled))
  await clock.advance(limits.delayMs)
  expect(sent).toMatchObject([{ spans: { text: 'one,one', count: 6 }, measurements: '[{"ms":1},{"ms":1},{"ms":1}]' }])
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
  expect(sent.at(-1)).toMatchObject({ spans: { text: 'one', count: 3 }, lost: 18 })
})

test('the thread is asked how the collector does when nothing happens, too', async () => {
  const { clock, sent, told } = thread()
  await clock.advance(2 * limits.beatMs)
  expect(sent).toMatchObject([
    { spans: { text: '', count: 0 }, measurements: '[]', open: 7 },
    { spans: { text: '', count: 0 }, measurements: '[]', open: 7 },
  ])
  sent[0]?.answer.resolve({ dropped: 2 })
  await clock.advance(0)
  expect(told).toEqual([{ dropped: 2 }])
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
