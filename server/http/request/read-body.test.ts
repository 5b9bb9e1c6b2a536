import { describe, expect, test } from 'bun:test'
import { systemClock } from '#runtime/clock'
import { turnsDuring } from '#testing/event-loop-turns'
import { handClock } from '#testing/hand-clock'
import { decodeUtf8, readBody, readJsonPieces } from './read-body.ts'

const post = (body: string | ReadableStream, headers: Record<string, string> = {}) =>
  new Request('http://127.0.0.1/', { method: 'POST', body, headers })

/** Chunks without a length, as a chunked upload comes. */
function dripping(chunks: number, size: number, cancel: () => void = () => undefined, byte?: number): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    pull: (controller) => (sent++ < chunks ? controller.enqueue(new Uint8Array(size).fill(byte ?? sent)) : controller.close()),
    cancel,
  })
}

describe('readBody', () => {
  test('gives the bytes as they came, also in pieces and also none', async () => {
    expect(decodeUtf8(await readBody(post('{"ä":1}'), 100))).toBe('{"ä":1}')
    expect(await readBody(post(dripping(3, 2)), 100)).toEqual(new Uint8Array([1, 1, 2, 2, 3, 3]))
    expect((await readBody(new Request('http://127.0.0.1/'), 100)).length).toBe(0)
  })
  test('exactly the limit passes, one byte more does not', async () => {
    expect((await readBody(post('x'.repeat(100)), 100)).length).toBe(100)
    expect((await readBody(post(dripping(10, 10)), 100)).length).toBe(100)
    await expect(readBody(post('x'.repeat(101)), 100)).rejects.toMatchObject({ code: 'request_too_large', status: 413 })
    await expect(readBody(post(dripping(10, 11)), 100)).rejects.toMatchObject({ code: 'request_too_large' })
  })
  test('a declared length beyond the limit is refused before anything is read', async () => {
    let pulled = false
    const pull = () => {
      pulled = true
    }
    const body = new ReadableStream({ pull }, { highWaterMark: 0 })
    await expect(readBody(post(body, { 'content-length': '101' }), 100)).rejects.toMatchObject({ code: 'request_too_large' })
    expect(pulled).toBe(false)
  })
  test('stops reading what never ends', async () => {
    let cancelled = false
    const endless = dripping(Number.POSITIVE_INFINITY, 50, () => {
      cancelled = true
    })
    await expect(readBody(post(endless), 100)).rejects.toMatchObject({ code: 'request_too_large' })
    expect(cancelled).toBe(true)
  })
  test('a body that is not complete after two minutes is given up', async () => {
    const clock = handClock()
    const silent = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(1)) })
    const reading = readBody(post(silent), 100, clock)
    const outcome = reading.catch((error: unknown) => error)
    await clock.advance(119_999)
    expect(clock.pending()).toBe(1)
    await clock.advance(1)
    expect(await outcome).toMatchObject({ code: 'body_timeout', status: 408 })
  })
  test('so is one whose sender falls silent, but not one that comes slowly', async () => {
    const clock = handClock()
    let push: ReadableStreamDefaultController<Uint8Array> | undefined
    const slow = new ReadableStream<Uint8Array>({
      start(controller) {
        push = controller
      },
    })
    const outcome = readBody(post(slow), 100, clock, 10_000).catch((error: unknown) => error)
    for (let piece = 0; piece < 5; piece++) {
      push?.enqueue(new Uint8Array(1))
      await clock.advance(9_000)
    }
    expect(clock.pending()).toBe(1)
    await clock.advance(1_000)
    expect(await outcome).toMatchObject({ code: 'body_timeout', status: 408 })
    expect(clock.pending()).toBe(0)
  })
  test('leaves no timer behind', async () => {
    const clock = handClock()
    await readBody(post('x'), 100, clock)
    await readBody(post('x'.repeat(101)), 100, clock).catch(() => undefined)
    expect(clock.pending()).toBe(0)
  })
  test('sets no timer for a body that came with its head', async () => {
    let timers = 0
    const clock = handClock()
    const counting = {
      ...clock,
      after: (ms: number, work: () => void) => {
        timers += 1
        return clock.after(ms, work)
      },
    }
    await readBody(new Request('http://a/', { method: 'POST', body: 'x', headers: { 'content-length': '1' } }), 100, counting)
    expect(timers).toBe(0)
  })

  test('a client that disconnects is reported as the client’s fault', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    await expect(readBody(post(broken), 100)).rejects.toMatchObject({ code: 'client_closed_request' })
  })
})

test('others have their turn while a body is weighed that is here already, however small its pieces are', async () => {
  const request = post(dripping(256, 64 * 1024, undefined, 0x20))
  const read = () => readJsonPieces(request, { clock: systemClock, idleMs: 60_000 })
  expect(await turnsDuring(read)).toBeGreaterThanOrEqual(64)
})

describe('decodeUtf8', () => {
  test('drops the byte order mark and refuses what is not UTF-8', () => {
    expect(decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))).toBe('{}')
    for (const bad of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xfe, 0xff, 0, 0x7b]]) {
      expect(() => decodeUtf8(new Uint8Array(bad))).toThrow('not valid UTF-8')
    }
  })
})
