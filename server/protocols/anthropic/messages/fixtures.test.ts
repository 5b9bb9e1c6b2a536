/**
 * The golden cases: each `fixtures/<case>` is read into exactly its canonical form, written back into what it was, and understood by the
 * vendor's own client. Each folder's note.txt says where it comes from.
 */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { noMemo, plain, streamOf, testPen } from '#testing/conversions/codec-runs'
import { eventsInPieces, goldenCases } from '#testing/conversions/golden'
import { messagesCodec as codec } from './codec.ts'

/** The final message as the vendor's client assembles it from a stream, or the name of the error that it throws. */
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

describe.each(goldenCases(codec, join(import.meta.dir, 'fixtures')))(
  '$name',
  ({ name, has, read, stream, request, events, now, golden }) => {
    test('is read into its canonical form, whatever the chunks', () => {
      expect(now()).toEqual(golden())
      if (!has('stream.sse')) return
      for (let seed = 1; seed <= 20; seed++) expect(eventsInPieces(codec, stream(), seed)).toEqual(golden().events)
    })

    test('a request is written back as it was', () => {
      const { body, headers, losses } = codec.writeRequest(request, { model: request.model, capabilities: {}, stream: request.stream })
      expect(plain(body)).toEqual(JSON.parse(read('request.json')))
      expect(headers).toEqual({ 'anthropic-version': '2023-06-01' })
      expect(losses).toEqual([])
    })

    test('an answer is written back as it was', () => {
      if (!has('response.json') || name.startsWith('error')) return
      const written = codec.writeResponse(codec.readResponse(read('response.json'), noMemo, testPen()), request, testPen())
      expect(JSON.parse(written.body)).toEqual(JSON.parse(read('response.json')))
      expect(written.losses).toEqual([])
    })

    test('the vendor’s client sees the same in the stream that is written as in the one that came', async () => {
      if (!has('stream.sse')) return
      const [before, after] = [await clientReads(stream()), await clientReads(streamOf(codec, events(), request))]
      expect(strip(after)).toEqual(strip(before))
      if (name === 'text') expect(before).toMatchObject({ content: [{ text: 'Hello! 你好 🎉' }], stop_reason: 'end_turn' })
      if (name === 'cut' || name === 'error-late') expect(after).toBeString()
    })
  },
)

/** The message without its service tier, which not every client reports; any error as `error`. */
function strip(message: unknown): unknown {
  if (typeof message === 'string') return 'error'
  if (typeof message !== 'object' || message === null || !('usage' in message)) return message
  const { service_tier: _, ...usage } = message.usage as Record<string, unknown>
  return { ...message, usage }
}
