/**
 * The golden cases: what stands in `fixtures/<case>` is read into exactly its canonical form, written back into what it was,
 * and understood by the vendor's own client. Each folder's note.txt says where it comes from.
 */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import type { ConversationEvent } from '#canonical/conversation'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { seeded } from '#testing/seeded'
import { messagesCodec as codec } from './codec.ts'

const folder = join(import.meta.dir, 'fixtures')
const cases = readdirSync(folder).sort()
const update = process.env.PARLEY_UPDATE_FIXTURES === '1'

const pen = { now: () => 1_764_000_000_000, id: (prefix: string) => `${prefix}fresh` }
const memo = { toolNames: {}, wrappedTools: [] }

/** Errors as what a fixture can hold. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      inner instanceof GatewayError ? { code: inner.code, status: inner.status, message: inner.message } : inner,
    ),
  )

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

/** The final message as the vendor's client puts it together from a stream, or the name of what it throws. */
async function clientReads(stream: Uint8Array): Promise<unknown> {
  const headers = { 'content-type': 'text/event-stream' }
  const client = new Anthropic({
    apiKey: 'k',
    maxRetries: 0,
    fetch: () => Promise.resolve(new Response(Buffer.from(stream).toString(), { headers })),
  })
  const run = client.messages.stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] })
  return run.finalMessage().then(
    (message) => JSON.parse(JSON.stringify(message)),
    (error: Error) => error.constructor.name,
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
    expect(headers).toEqual({ 'anthropic-version': '2023-06-01' })
    expect(losses).toEqual([])
  })

  test('an answer is written back as it was', () => {
    if (!has('response.json') || name.startsWith('error')) return
    const body = JSON.parse(read('response.json'))
    const written = codec.writeResponse(codec.readResponse(read('response.json'), memo, pen), request, pen)
    expect(JSON.parse(written.body)).toEqual(body)
    expect(written.losses).toEqual([])
  })

  test('the vendor’s client sees the same in the stream that is written as in the one that came', async () => {
    const writer = codec.writer(request, pen)
    const written = Buffer.concat(eventsOf([stream()]).map((event) => writer.push(event)))
    const [before, after] = [await clientReads(stream()), await clientReads(written)]
    expect(strip(after)).toEqual(strip(before))
    if (name === 'text') expect(before).toMatchObject({ content: [{ text: 'Hello! 你好 🎉' }], stop_reason: 'end_turn' })
    if (name === 'cut' || name === 'error-late') expect(after).toBeString()
  })
})

/** A client that is told nothing says how it knows, and an error in words says the same as a stream that breaks. */
function strip(message: unknown): unknown {
  if (typeof message === 'string') return 'error'
  if (typeof message !== 'object' || message === null || !('usage' in message)) return message
  const { service_tier: _, ...usage } = message.usage as Record<string, unknown>
  return { ...message, usage }
}
