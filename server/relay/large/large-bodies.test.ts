/** The worker itself: what crosses, what is refused, and that it stops when idle and starts again. */
import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { noUsage } from '#canonical/usage'
import { conversationCodecs } from '#protocols/index'
import { operationCodecs } from '#protocols/operations'
import { type Clock, systemClock, systemRandom, type Timer } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { testPen } from '#testing/conversions/codec-runs'
import { turnsDuring } from '#testing/event-loop-turns'
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
const large = createLargeBodies(clock, systemRandom)
afterAll(() => large.close())

const ask = { operation: 'generate', dialect: 'chat' } as const
const weighed = (bytes: Uint8Array<ArrayBuffer>) => ({ pieces: [bytes], bytes: bytes.length, weight: 1 })
const open = (body: unknown) => large.open(weighed(Buffer.from(JSON.stringify(body))), ask, 'key')
const refused = (work: Promise<unknown>) => work.catch((thrown) => (thrown instanceof GatewayError ? [thrown.code, thrown.param] : thrown))

test('a body is read, edited and refused as anywhere', async () => {
  const body = await open({ model: 'm', messages: [{ role: 'user', content: 'hi' }], top_k: 1 })
  expect(body.head).toMatchObject({ model: 'm', stream: false })
  const { bytes, refused: left } = await body.edited({ model: 'up' }, ['top_k'], {})
  expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({ model: 'up', messages: [{ role: 'user', content: 'hi' }] })
  expect(left).toEqual(['top_k'])
  body.release()
  expect(await refused(body.states().then(() => undefined))).toEqual(['overloaded', undefined])
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

/** Niceness by the names of this process's threads; the main thread has the name of the program. */
const threads = () =>
  readdirSync('/proc/self/task').map((thread) => {
    const line = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    const nice = line.slice(line.lastIndexOf(')') + 2).split(' ')[16]
    return `${line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'))} ${nice}`
  })

// On other systems threads have no priority of their own.
test.if(process.platform === 'linux')('the worker gives way to the thread that carries streams', async () => {
  const body = await open({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
  expect(threads()).toEqual(expect.arrayContaining([expect.stringMatching(/^bun\S* 0$/), 'Worker 10']))
  body.release()
})

test('a frame crosses in pieces, wherever they end, and says the same as in one', async () => {
  const text = '😀é'.repeat(700_000)
  const frame = JSON.stringify({ type: 'conversation.item.create', event_id: 'e', item: { content: [{ type: 'input_text', text }] } })
  for (const start of ['', ' ']) {
    const read = await large.frame(start + frame, 'key', 'openai')
    expect(read).toMatchObject({ type: 'conversation.item.create', eventId: 'e' })
    expect(read.size.text).toBeGreaterThan(1_000_000)
    expect(await large.frame(Buffer.from(start + frame), 'key', 'openai')).toEqual(read)
  }
  expect(await refused(large.frame(`${frame.slice(0, -1)},"type":"x"}`, 'key', 'openai'))).toEqual(['ambiguous_field', 'type'])
})

test('others have their turn while a frame crosses', async () => {
  const frame = `{"type":"input_audio_buffer.append","audio":"${'x'.repeat(15 * 1024 * 1024)}"}`
  expect(await turnsDuring(() => large.frame(frame, 'key', 'openai'))).toBeGreaterThanOrEqual(15)
})

test('a large answer is read here as there', async () => {
  const vector = Array.from({ length: 1_000 }, (_, at) => at / 7)
  const data = Array.from({ length: 200 }, (_, index) => ({ object: 'embedding', index, embedding: vector }))
  const text = JSON.stringify({ object: 'list', data, model: 'up', usage: { prompt_tokens: 3, total_tokens: 3 } })
  const { openai } = operationCodecs.embed
  if (!openai || !('readHead' in openai)) throw new Error('no such codec')
  const head = openai.readHead(JSON.stringify({ model: 'm', input: data.map(() => 'x') }))
  const bytes = new TextEncoder().encode(text)
  const pieces = [bytes.subarray(0, 700_000), bytes.subarray(700_000)]
  const read = await large.answer([pieces], { operation: 'embed', endpoint: 'openai', edits: { model: 'm' }, head }, 'key')
  const { body, ...rest } = openai.readWhole(text, { model: 'm' }, head)
  expect(new TextDecoder().decode(read.bytes) === body).toBe(true)
  expect(read).toMatchObject(rest)
  // The given bytes are still there.
  expect(bytes.length).toBe(text.length)
  const none = { operation: 'embed', endpoint: 'openai', edits: {}, head } as const
  expect(await refused(large.answer([[Buffer.from('{}')]], none, 'key'))).toEqual(['upstream_error', undefined])
})

test('numbers with more digits than a double holds cross with all of them', async () => {
  const id = '1234567890123456789'
  const schema = `{"type":"object","properties":{"id":{"type":"integer","maximum":${id}}}}`
  const call = `{"type":"function_call","call_id":"c","name":"look","arguments":"{\\"id\\":${id}}"},{"type":"function_call_output","call_id":"c","output":"ok"}`
  const raw = `{"model":"m","input":[{"role":"user","content":"hi"},${call}],"tools":[{"type":"function","name":"look","parameters":${schema}}]}`
  const body = await large.open(weighed(Buffer.from(raw)), { operation: 'generate', dialect: 'responses' }, 'key')
  const channel = { id: 'c', systemPrompt: null, params: {}, refuses: [] }
  const target = { model: 'm', capabilities: {}, stream: false }
  const facts = { opened: new Map(), recalled: new Map(), makers: new Map(), files: new Map(), model: 'm', strict: false, finish: {} }
  for (const dialect of ['messages', 'gemini'] as const) {
    const made = await body.converted({ ...facts, channel, target, dialect, converses: false, compacts: false })
    if ('wants' in made) throw new Error('files of a text')
    const sent = new TextDecoder().decode(made.bytes)
    expect(sent).toContain(`{"id":${id}}`)
    expect(sent).toContain(schema)
    // Responses repeats the tools, from what the worker returned.
    for (const outline of [made.outline, await body.outline()]) {
      const answer = { id: 'resp_1', model: 'm', created: 1, choices: [], usage: { ...noUsage(), provenance: 'provider' as const } }
      expect(conversationCodecs.responses.writeResponse(answer, outline, testPen()).body).toContain(schema)
    }
  }
  body.release()
})
