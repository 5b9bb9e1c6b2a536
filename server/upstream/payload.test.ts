/** Binary bodies over real TCP: sent with their length, again for every attempt, and with backpressure. */
import { afterEach, expect, test } from 'bun:test'
import { type AddressInfo, createServer } from 'node:net'
import { systemClock } from '#runtime/clock'
import { respond, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { createAddressCheck } from './addresses.ts'
import { createHttpUpstream } from './http.ts'
import type { Payload } from './upstream.ts'

const upstream = createHttpUpstream(createAddressCheck({ clock: systemClock }), systemClock)
const vendors: ScriptedUpstream[] = []
afterEach(async () => {
  for (const vendor of vendors.splice(0)) await vendor.close()
})

const piece = new Uint8Array(64 * 1024).map((_, i) => (i * 31) % 251)

/** A body of `pieces` pieces that counts how it is read. */
function payload(pieces: number): Payload & { opened: number; pulled: number; cancelled: number } {
  const counts = { opened: 0, pulled: 0, cancelled: 0 }
  return Object.assign(counts, {
    type: 'multipart/form-data; boundary=X',
    length: pieces * piece.length,
    open() {
      counts.opened += 1
      let left = pieces
      return new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (left-- === 0) return controller.close()
            counts.pulled += 1
            controller.enqueue(piece)
          },
          cancel() {
            counts.cancelled += 1
          },
        },
        { highWaterMark: 0 },
      )
    },
  })
}

const send = (url: string, body: Payload, signal = new AbortController().signal) =>
  upstream.open({ method: 'POST', url: `${url}/v1/audio/transcriptions`, headers: { 'content-type': body.type }, body }, signal)

test('goes out with its length, not in chunks, and from its beginning every time', async () => {
  const vendor = await scriptedUpstream(respond(200, {}, 'ok'))
  vendors.push(vendor)
  const body = payload(20)
  for (let attempt = 0; attempt < 2; attempt++) {
    const answer = await send(vendor.url, body)
    while ((await answer.read()) !== undefined);
  }
  const whole = Buffer.concat(new Array(20).fill(piece))
  for (const request of vendor.requests) {
    expect([request.header('content-length'), request.header('transfer-encoding')]).toEqual([String(body.length), undefined])
    expect(request.header('content-type')).toBe(body.type)
    expect(Buffer.from(request.body).equals(whole)).toBe(true)
  }
  expect([vendor.requests.length, body.opened]).toEqual([2, 2])
})

test('an upstream that takes nothing is fed nothing more, and an abort lets go of the body', async () => {
  const server = createServer((socket) => {
    socket.pause()
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const body = payload(2000)
    const leaving = new AbortController()
    const outcome = send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, body, leaving.signal).catch(
      (error: unknown) => error,
    )
    let pulled = -1
    while (pulled !== body.pulled) {
      pulled = body.pulled
      await wait(300)
    }
    // 125 MiB in total, of which sockets buffer a few.
    expect(pulled * piece.length).toBeLessThan(16 * 1024 * 1024)
    leaving.abort(new Error('left'))
    expect(await outcome).toMatchObject({ message: 'left' })
    for (let i = 0; i < 100 && body.cancelled === 0; i++) await wait(10)
    expect(body.cancelled).toBe(1)
  } finally {
    server.close()
  }
}, 20_000)
