/** Golden cases: requests, answers and streams from the vendor's documentation, and their canonical form. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodecContext } from '#canonical/codec'
import type { ConversationRequest, ConversationResponse } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { gathered } from '#canonical/response-events'
import { eventsOf, noMemo } from '#testing/conversions/codec-runs'
import { updateGolden } from '#testing/conversions/golden'
import { seeded } from '#testing/seeded'
import { geminiCodec as codec } from './codec.ts'

const root = join(import.meta.dir, 'fixtures')
const path = 'gemini-3-pro-preview:generateContent'
const target = { model: 'gemini-3-pro-preview', capabilities: {}, stream: false }

function newPen(): CodecContext {
  let count = 0
  return { now: () => 1_700_000_000_000, id: (prefix) => `${prefix}${++count}` }
}

/** An address that this dialect does not open itself. */
const unfetched = expect.objectContaining({ code: 'unsupported_value', param: 'contents[0].parts[2]' })

interface Golden {
  request?: ConversationRequest
  response?: ConversationResponse
  events: ConversationEvent[]
}

/** As JSON, with only the client-visible part of an error. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, item) => (key === 'error' ? { code: item.code, status: item.status } : item)))

const readStream = (pieces: readonly Uint8Array[]) => eventsOf(codec, pieces, { codecContext: newPen() })

const asked = (): ConversationRequest => ({
  ...codec.readRequest('{"contents":[{"parts":[{"text":"x"}]}]}', 'asked:streamGenerateContent'),
  reasoning: { visible: 'summary' },
})

for (const name of readdirSync(root).sort()) {
  const file = (kind: string) => join(root, name, kind)
  const text = (kind: string) => readFileSync(file(kind), 'utf8')
  const has = (kind: string) => existsSync(file(kind))
  updateGolden(join(root, name), () => ({
    ...(has('request.json') && { request: { ...codec.readRequest(text('request.json'), path), paths: undefined } }),
    ...(has('response.json') && { response: codec.readResponse(text('response.json'), noMemo, newPen()) }),
    ...(has('stream.sse') && { events: plain(readStream([readFileSync(file('stream.sse'))])) }),
  }))
  const golden: Golden = JSON.parse(text('canonical.json'))

  describe(name, () => {
    if (has('request.json')) {
      test('the request is read, and written back as it was', () => {
        const { paths: _, ...request } = codec.readRequest(text('request.json'), path)
        expect(plain(request)).toEqual(plain(golden.request))
        const fetched = JSON.stringify(request).includes('https://example.com')
        if (fetched) return expect(() => codec.writeRequest(request, target)).toThrow(unfetched)
        const { body, losses } = codec.writeRequest(request, target)
        const { paths: __, ...again } = codec.readRequest(JSON.stringify(body), path)
        expect(losses.filter(({ meaning }) => meaning)).toEqual([])
        expect(comparable(again)).toEqual(comparable(request))
      })

      test('the head agrees with it', () => {
        const head = codec.readHead(text('request.json'), path)
        expect({ model: head.model, n: head.n, maxOutput: head.maxOutput }).toEqual({
          model: golden.request?.model ?? '',
          n: golden.request?.output.n ?? 0,
          maxOutput: golden.request?.output.maxTokens,
        })
      })
    }

    if (has('response.json')) {
      test('the whole answer is read, and written back as it was', () => {
        const response = codec.readResponse(text('response.json'), noMemo, newPen())
        expect(plain(response)).toEqual(plain(golden.response))
        const again = codec.readResponse(codec.writeResponse(response, asked(), newPen()).body, noMemo, newPen())
        expect(spoken(again)).toEqual(spoken(response))
      })
    }

    test('the stream is read alike at every cut', () => {
      if (!has('stream.sse')) return
      const bytes = readFileSync(file('stream.sse'))
      expect(plain(readStream([bytes]))).toEqual(plain(golden.events))
      for (let seed = 1; seed <= 20; seed++) {
        const random = seeded(seed)
        expect({ seed, events: plain(readStream(random.cut(bytes, random.pick([1, 5, 200])))) }).toEqual({
          seed,
          events: plain(golden.events),
        })
      }
    })

    test('the written stream reads as the same answer', () => {
      if (!has('stream.sse')) return
      const writer = codec.writer(asked(), newPen())
      const events = readStream([readFileSync(file('stream.sse'))])
      const again = readStream(events.map((event) => writer.push(event)))
      expect(again.at(-1)?.kind).toBe(events.at(-1)?.kind ?? 'end')
      if (events.at(-1)?.kind !== 'error') expect(spoken(gathered(again))).toEqual(spoken(gathered(events)))
    })
  })
}

/** Without the differences between two spellings of one request: paths, and sources that have to be fetched. */
function comparable(request: Omit<ConversationRequest, 'paths'>): unknown {
  const text = JSON.stringify(request, (key, value) => (key === 'path' || key === 'description' || key === 'name' ? undefined : value))
  return JSON.parse(text)
}

/** The content of an answer, without the model's name and without usage details. */
function spoken({ choices, usage }: ConversationResponse): unknown {
  const said = choices.map(({ finish, ...choice }) => ({ ...choice, reason: finish.reason }))
  return plain({ said, in: usage.in, out: usage.out })
}
