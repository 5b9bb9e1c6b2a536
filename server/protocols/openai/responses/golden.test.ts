/**
 * The golden cases: each `fixtures/<case>` is read into exactly its canonical form, written back into what it was, and understood by the
 * vendor's own client. Each folder's note.txt says where it comes from.
 */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import OpenAI from 'openai'
import { createSseSplitter } from '#shared/sse'
import { noMemo, plain, streamOf, testPen } from '#testing/conversions/codec-runs'
import { eventsInPieces, goldenCases } from '#testing/conversions/golden'
import { responsesCodec as codec } from './codec.ts'

/** Ids of items are made anew: only their kind is the same. */
const withoutIds = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replace(/"(msg|rs|fc|ctc)_\w+"/g, '"$1"'))

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
      expect(headers).toEqual({})
      expect(losses).toEqual([])
    })

    test('an answer is written back as it was', () => {
      if (!has('response.json') || name.startsWith('error')) return
      const written = codec.writeResponse(codec.readResponse(read('response.json'), noMemo, testPen()), request, testPen())
      expect(withoutIds(JSON.parse(written.body))).toEqual(withoutIds(JSON.parse(read('response.json'))))
      expect(written.losses).toEqual([])
    })

    test('the vendor’s client sees the same in the stream that is written as in the one that came', async () => {
      if (!has('stream.sse')) return
      const [before, after] = [await clientReads(stream()), await clientReads(streamOf(codec, events(), request))]
      if (name === 'cut') expect([before, after]).toMatchObject(['error', { status: 'failed', output: [{ status: 'incomplete' }] }])
      else if (name === 'error-late') expect(after).toMatchObject({ status: 'failed', error: { code: 'rate_limit_exceeded' } })
      else expect(after).toEqual(before)
    })

    test('passes as it is, and is counted as the answer says', () => {
      if (!has('stream.sse')) return
      const splitter = createSseSplitter()
      const meter = codec.meter({})
      const verdicts = [...splitter.push(stream()), ...splitter.end()].map((frame) => meter.push(frame))
      const failed = verdicts.find((verdict) => verdict.error)
      expect(failed !== undefined || name === 'cut').toBe(name.startsWith('error') || name === 'cut')
      expect(meter.end()).toBe(failed || name === 'cut' ? 'cut' : name.startsWith('length') ? 'length' : 'complete')
      if (!failed) expect(Buffer.concat(verdicts.map((verdict) => verdict.out ?? new Uint8Array())).equals(stream())).toBe(true)
      if (!failed && has('response.json')) expect(meter.usage(4)).toEqual(codec.readWhole(read('response.json'), {}, 4).usage)
    })
  },
)
