/** Which events of a stream are written together. */
import { expect, test } from 'bun:test'
import type { Exchange } from '#relay/contract/exchange'
import { createSseSplitter } from '#shared/sse'
import { handClock } from '#testing/hand-clock'
import { phaseTimer } from '#upstream/timeouts'
import type { UpstreamAnswer } from '#upstream/upstream'
import type { Batch, Toll } from './batch.ts'
import { open } from './opening.ts'

const event = (text: string) => `data: ${text}\n\n`
const textOf = (batch: Batch) => Buffer.from(batch.joined() ?? []).toString()

/** A stream whose first event arrived alone; the rest are one chunk. */
const opened = (...rest: string[]) => openedFrom(event('first'), rest.map(event).join(''))

/** A stream that arrived in these chunks. Every event counts with all of its bytes, and an `odd` one cannot be read. */
async function openedFrom(...texts: string[]) {
  const chunks = texts.map((text) => Buffer.from(text))
  const clock = handClock()
  const answer = { headers: new Headers(), read: async () => chunks.shift(), cancel: () => undefined } as unknown as UpstreamAnswer
  const exchange = {
    passage: () => ({
      push({ raw }: { raw: Uint8Array }) {
        if (String(raw).includes('odd')) throw new Error('odd')
        return { out: raw, meaningful: true }
      },
      close: () => ({ meaningful: false, last: true }),
    }),
    splitter: () => createSseSplitter(),
  } as unknown as Exchange
  return open(exchange, answer, phaseTimer(clock, { connect: 1e6, firstEvent: 1e6, betweenEvents: 1e6, total: 1e6 }), clock)
}

/** Lets two events pass before each call, and returns the next of these answers. */
function tollOf(...answers: Promise<undefined>[]) {
  const passed: number[] = []
  const toll: Toll = {
    room: () => 2 * event('a').length,
    passed(bytes) {
      passed.push(bytes)
      return answers.shift()
    },
  }
  return { passed, toll }
}

test('events that came together leave as one piece, however often the toll is asked between them', async () => {
  const stream = await opened('a', 'b', 'c', 'd', 'e')
  expect(textOf(stream.first)).toBe(event('first'))
  const { passed, toll } = tollOf()
  stream.arrived(await stream.more())
  const batch = stream.take(toll)
  expect(textOf(batch)).toBe(['a', 'b', 'c', 'd', 'e'].map(event).join(''))
  // The last event is reported by the code that forwards it.
  expect([...passed, batch.size]).toEqual([18, 18, 9])
})

test('where the toll makes them wait, those behind it stay', async () => {
  const stream = await opened('a', 'b', 'c', 'd', 'e')
  const waiting = Promise.resolve(undefined)
  const { toll } = tollOf(waiting)
  stream.arrived(await stream.more())
  const batch = stream.take(toll)
  expect(batch.asked).toBe(waiting)
  expect(textOf(batch)).toBe(event('a') + event('b'))
  expect(stream.more()).toBeUndefined()
  expect(textOf(stream.take(toll))).toBe(['c', 'd', 'e'].map(event).join(''))
})

test('what came with the first event leaves with it, and is asked for', async () => {
  const stream = await openedFrom(['first', 'a', 'b'].map(event).join(''), event('c'))
  const { passed, toll } = tollOf()
  const batch = stream.takeFirst(toll)
  expect(textOf(batch)).toBe(['first', 'a', 'b'].map(event).join(''))
  expect([...passed, batch.size]).toEqual([22, 9])
  stream.arrived(await stream.more())
  expect(textOf(stream.take(toll))).toBe(event('c'))
})

test('a first event that came alone waits for nothing', async () => {
  const stream = await opened('a')
  expect(textOf(stream.takeFirst(tollOf().toll))).toBe(event('first'))
})

test('what cannot be read behind the first event takes nothing from it', async () => {
  const stream = await openedFrom(['first', 'a', 'odd', 'b'].map(event).join(''))
  const { toll } = tollOf()
  expect(textOf(stream.takeFirst(toll))).toBe(event('first') + event('a'))
  expect(stream.more()).toBeUndefined()
  expect(() => stream.take(toll)).toThrow('odd')
})
