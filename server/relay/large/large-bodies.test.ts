/** The worker itself: what crosses, what is refused, and that it rests and comes back. */
import { afterAll, expect, test } from 'bun:test'
import { type Clock, systemClock, type Timer } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { createLargeBodies } from './large-bodies.ts'

/** Timers run when the test says so. */
const timers = new Set<() => void>()
let tick = 0
const clock: Clock = {
  ...systemClock,
  monotonic: () => (tick += 2_000),
  after(_, work): Timer {
    timers.add(work)
    return { cancel: () => timers.delete(work) }
  },
}
const large = createLargeBodies(clock)
afterAll(() => large.close())

const ask = { operation: 'generate', dialect: 'chat' } as const
const weighed = (bytes: Uint8Array<ArrayBuffer>) => ({ pieces: [bytes], bytes: bytes.length, weight: 1 })
const open = (body: unknown) => large.open(weighed(Buffer.from(JSON.stringify(body))), ask, 'key')
const refused = (work: Promise<unknown>) => work.catch((thrown) => (thrown instanceof GatewayError ? [thrown.code, thrown.param] : thrown))

test('a body is read, edited and refused as anywhere', async () => {
  const body = await open({ model: 'm', messages: [{ role: 'user', content: 'hi' }], top_k: 1 })
  expect(body.head).toMatchObject({ model: 'm', stream: false })
  const { bytes, refused: left } = await body.edited({ model: 'up' }, ['top_k'])
  expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({ model: 'up', messages: [{ role: 'user', content: 'hi' }] })
  expect(left).toEqual(['top_k'])
  body.release()
  expect(await refused(body.text())).toEqual(['overloaded', undefined])
  expect(await refused(open({ model: 'm', Model: 'n', messages: [] }))).toEqual(['ambiguous_field', 'model'])
  expect(await refused(open({ model: 'm' }))).toEqual(['missing_field', 'messages'])
  expect(await refused(large.open(weighed(new Uint8Array([0xff])), ask, 'key'))).toEqual(['invalid_json', undefined])
})

test('a worker without a body rests, and the next body starts another', async () => {
  const body = await open({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
  expect(timers.size).toBe(0)
  body.release()
  while (timers.size === 0) await new Promise((resolve) => setImmediate(resolve))
  for (const rest of [...timers]) rest()
  const preview = await large.preview(weighed(Buffer.from('{"model":"m","messages":[{"role":"user","content":"hi"}]}')), 'messages', 'key')
  expect(JSON.parse(new TextDecoder().decode(preview))).toMatchObject({ body: { model: 'm' } })
})
