/**
 * The golden cases: what stands in `fixtures/<case>` is read into exactly its canonical form, written back into what it was,
 * and understood by the vendor's own client. Each folder's note.txt says where it comes from.
 */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import type { ConversationEvent } from '#canonical/conversation'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { seeded } from '#testing/seeded'
import { responsesCodec as codec } from './codec.ts'

const folder = join(import.meta.dir, 'fixtures')
const cases = readdirSync(folder).sort()
const update = process.env.PARLEY_UPDATE_FIXTURES === '1'

let fresh = 0
const pen = { now: () => 1_764_000_000_000, id: (prefix: string) => `${prefix}fresh${++fresh}` }
const memo = { toolNames: {}, wrappedTools: [] }

/** Errors as what a fixture can hold. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      inner instanceof GatewayError ? { code: inner.code, status: inner.status, message: inner.message } : inner,
    ),
  )

/** Ids of items are made anew: only their kind is the same. */
const withoutIds = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replace(/"(msg|rs|fc|ctc)_\w+"/g, '"$1"'))

function eventsOf(pieces: Uint8Array[]): ConversationEvent[] {
  const splitter = createSseSplitter()
  const reader = codec.reader(memo, pen)
  const frames = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(undefined)]
}

const attempt = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (thrown) {
    return thrown
  }
}

/** The final response as the vendor's client puts it together from a stream, or `error` when it throws. */
async function clientReads(stream: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const headers = { 'content-type': 'text/event-stream' }
  const client = new OpenAI({ apiKey: 'k', maxRetries: 0, fetch: () => Promise.resolve(new Response(stream, { headers })) })
  const run = client.responses.stream({ model: 'm', input: 'x' })
  return run.finalResponse().then(
    (response) => (response.status === 'in_progress' ? 'error' : withoutIds(response)),
    () => 'error',
  )
}

describe.each(cases)('%s', (name) => {
  const read = (file: string) => readFileSync(join(folder, name, file), 'utf8')
  const has = (file: string) => existsSync(join(folder, name, file))
  const stream = () => readFileSync(join(folder, name, 'stream.sse'))
  const request = codec.readRequest(read('request.json'))
  const now = () =>
    plain({
      request: { ...request, paths: undefined },
      ...(has('response.json') && { response: attempt(() => codec.readResponse(read('response.json'), memo, pen)) }),
      events: eventsOf([stream()]),
    })
  if (update) writeFileSync(join(folder, name, 'canonical.json'), `${JSON.stringify(now(), null, 2)}\n`)

  test('is read into its canonical form, whatever the chunks', () => {
    const golden = JSON.parse(read('canonical.json'))
    expect(now()).toEqual(golden)
    for (let seed = 1; seed <= 20; seed++) {
      const dice = seeded(seed)
      expect(plain(eventsOf(dice.cut(stream(), dice.pick([1, 7, 200]))))).toEqual(golden.events)
    }
  })

  test('a request is written back as it was', () => {
    const { body, headers, losses } = codec.writeRequest(request, { model: request.model, capabilities: {}, stream: request.stream })
    expect(plain(body)).toEqual(JSON.parse(read('request.json')))
    expect(headers).toEqual({})
    expect(losses).toEqual([])
  })

  test('an answer is written back as it was', () => {
    if (!has('response.json') || name.startsWith('error')) return
    const written = codec.writeResponse(codec.readResponse(read('response.json'), memo, pen), request, pen)
    expect(withoutIds(JSON.parse(written.body))).toEqual(withoutIds(JSON.parse(read('response.json'))))
    expect(written.losses).toEqual([])
  })

  test('the vendor’s client sees the same in the stream that is written as in the one that came', async () => {
    const writer = codec.writer(request, pen)
    const written = Buffer.concat(eventsOf([stream()]).map((event) => writer.push(event)))
    const [before, after] = [await clientReads(stream()), await clientReads(written)]
    if (name === 'cut') expect([before, after]).toMatchObject(['error', { status: 'failed', output: [{ status: 'incomplete' }] }])
    else if (name === 'error-late') expect(after).toMatchObject({ status: 'failed', error: { code: 'rate_limit_exceeded' } })
    else expect(after).toEqual(before)
  })

  test('passes as it is, and is counted as the answer says', () => {
    const splitter = createSseSplitter()
    const meter = codec.meter({})
    const verdicts = [...splitter.push(stream()), ...splitter.end()].map((frame) => meter.push(frame))
    const failed = verdicts.find((verdict) => verdict.error)
    expect(failed !== undefined || name === 'cut').toBe(name.startsWith('error') || name === 'cut')
    expect(meter.end()).toBe(failed || name === 'cut' ? 'cut' : name.startsWith('length') ? 'length' : 'complete')
    if (!failed) expect(Buffer.concat(verdicts.map((verdict) => verdict.out ?? new Uint8Array()))).toEqual(stream())
    if (!failed && has('response.json')) expect(meter.usage(4)).toEqual(codec.readWhole(read('response.json'), {}, 4).usage)
  })
})
