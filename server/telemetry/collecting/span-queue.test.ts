/** The queue before a collector that is slow, refuses, or is away. */
import { expect, test } from 'bun:test'
import { handClock } from '#testing/hand-clock'
import { type SpanLot, type SpanSender, spanQueue } from './span-queue.ts'

interface Named extends SpanLot {
  name: number
}

function slowCollector() {
  const messages: { spans: number[]; taken: PromiseWithResolvers<void> }[] = []
  const sender: SpanSender<Named> = {
    send(lots) {
      const taken = Promise.withResolvers<void>()
      messages.push({ spans: lots.map(({ name }) => name), taken })
      return taken.promise
    },
    close: () => undefined,
  }
  return { sender, messages }
}
const span = (name: number, count = 1): Named => ({ name, count })
const limits = { batch: 3, waiting: 5, delayMs: 1_000 }
/** Lets everything run that needs no time. */
const turn = async () => {
  for (let times = 0; times < 20; times += 1) await Promise.resolve()
}

test('a full message goes out at once, another one after a while, one at a time', async () => {
  const { sender, messages } = slowCollector()
  const clock = handClock()
  const queue = spanQueue(sender, limits, clock, () => undefined)
  for (const name of [1, 2, 3, 4]) queue.add(span(name))
  await turn()
  expect(messages.map(({ spans }) => spans)).toEqual([[1, 2, 3]])
  messages[0]?.taken.resolve()
  await turn()
  expect(messages.length).toBe(1)
  await clock.advance(1_000)
  await turn()
  expect(messages.map(({ spans }) => spans)).toEqual([[1, 2, 3], [4]])
  expect(queue.dropped()).toBe(0)
})

test('what finds the queue full is dropped and counted, and so is what the collector refuses', async () => {
  const { sender, messages } = slowCollector()
  const failures: unknown[] = []
  const queue = spanQueue(sender, limits, handClock(), (error) => failures.push(error))
  for (let name = 1; name <= 20; name += 1) queue.add(span(name))
  await turn()
  // Three are on their way, and by the time they left, five had found room.
  expect([messages.length, queue.dropped()]).toEqual([1, 20 - 5])
  messages[0]?.taken.reject(new Error('503'))
  await turn()
  expect([queue.dropped(), failures.length]).toEqual([20 - 5 + 3, 1])
})

test('the end sends what waits', async () => {
  const { sender, messages } = slowCollector()
  const queue = spanQueue(sender, limits, handClock(), () => undefined)
  for (const name of [1, 2, 3, 4]) queue.add(span(name))
  const ended = queue.shutdown()
  for (let at = 0; at < 2; at += 1) {
    await turn()
    messages[at]?.taken.resolve()
  }
  await ended
  expect(messages.map(({ spans }) => spans)).toEqual([[1, 2, 3], [4]])
})

test('lots stay whole: a message ends before the one that would make it too long, and one that is too long goes alone', async () => {
  const { sender, messages } = slowCollector()
  const queue = spanQueue(sender, { ...limits, waiting: 20 }, handClock(), () => undefined)
  for (const [name, count] of [
    [1, 2],
    [2, 2],
    [3, 7],
    [4, 1],
  ] as const)
    queue.add(span(name, count))
  const ended = queue.shutdown()
  for (let at = 0; at < 4; at += 1) {
    await turn()
    messages[at]?.taken.resolve()
  }
  await ended
  expect(messages.map(({ spans }) => spans)).toEqual([[1], [2], [3], [4]])
})
