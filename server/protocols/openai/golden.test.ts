/** The golden fixtures of Chat and Completions: wire to canonical and back, whole and cut anywhere. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodecContext, ConversationCodec } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { eventsOf, noMemo } from '#testing/conversions/codec-runs'
import { updateGolden } from '#testing/conversions/golden'
import { seeded } from '#testing/seeded'
import { chatCodec } from './chat/codec.ts'
import { completionsCodec } from './completions/codec.ts'

const codecContext = (): CodecContext => ({ now: () => 1_763_600_000_000, id: (prefix) => `${prefix}made` })
const events = (codec: ConversationCodec, pieces: Uint8Array[]) => eventsOf(codec, pieces, { codecContext: codecContext() })

/** As JSON, without the paths that only refusals read. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value, (key, each) => (key === 'path' || key === 'paths' ? undefined : each)))

/** An error as its code and message. */
const reported = (list: ConversationEvent[]) =>
  plain(
    list.map((event) => (event.kind === 'error' ? { ...event, error: { code: event.error.code, message: event.error.message } } : event)),
  )

describe.each([
  ['chat', chatCodec],
  ['completions', completionsCodec],
] as const)('%s', (dialect, codec) => {
  const folder = join(import.meta.dir, dialect, 'fixtures')
  describe.each(readdirSync(folder))('%s', (name) => {
    const file = (part: string) => join(folder, name, part)
    const text = (part: string) => readFileSync(file(part), 'utf8')
    const streamed = () => new Uint8Array(readFileSync(file('stream.sse')))
    updateGolden(join(folder, name), () => ({
      ...(existsSync(file('request.json')) && { request: { ...codec.readRequest(text('request.json')), paths: undefined } }),
      ...(existsSync(file('response.json')) && { response: codec.readResponse(text('response.json'), noMemo, codecContext()) }),
      ...(existsSync(file('stream.sse')) && { events: reported(events(codec, [streamed()])) }),
    }))
    const canonical = JSON.parse(text('canonical.json'))
    const asked: ConversationRequest = codec.readRequest(
      JSON.stringify(
        dialect === 'chat'
          ? { model: 'asked', messages: [{ role: 'user', content: 'x' }], stream_options: { include_usage: true } }
          : { model: 'asked', prompt: 'x', stream_options: { include_usage: true } },
      ),
    )

    if (existsSync(file('request.json')))
      test('request', () => {
        const read = codec.readRequest(text('request.json'))
        expect(plain(read)).toEqual(plain(canonical.request))
        const target = { model: read.model, capabilities: {}, stream: read.stream }
        const { body, losses } = codec.writeRequest(read, target)
        expect(losses).toEqual([])
        expect(plain({ ...codec.readRequest(JSON.stringify(body)), usageAsked: read.usageAsked })).toEqual(plain(canonical.request))
      })

    if (existsSync(file('response.json')))
      test('response', () => {
        const read = codec.readResponse(text('response.json'), noMemo, codecContext())
        expect(plain(read)).toEqual(canonical.response)
        const { body, losses } = codec.writeResponse(read, asked, codecContext())
        expect(losses).toEqual([])
        const again = codec.readResponse(body, noMemo, codecContext())
        const { choices, id, created, tier } = canonical.response
        expect(plain(again)).toMatchObject({ id, created, model: 'asked', ...(tier && { tier }) })
        // Empty arguments become an empty object, which is the same to a tool.
        expect(plain(again.choices)).toEqual(
          JSON.parse(JSON.stringify(choices).replace('"form":"json","argsText":""', '"form":"json","argsText":"{}"')),
        )
        expect({ in: again.usage.in, out: again.usage.out }).toEqual({ in: read.usage.in, out: read.usage.out })
      })

    if (existsSync(file('stream.sse')))
      test('stream, cut anywhere', () => {
        const bytes = streamed()
        for (let seed = 1; seed <= 20; seed++) {
          expect(reported(events(codec, seeded(seed).cut(bytes, seed % 2 ? 2 : 60)))).toEqual(canonical.events)
        }
      })

    if (existsSync(file('stream.sse')))
      test('stream, written and read again', () => {
        const read = events(codec, [streamed()])
        const writer = codec.writer(asked, codecContext())
        const bytes = Buffer.concat(read.map((event) => writer.push(event)))
        const again = events(codec, [bytes])
        expect(again.at(-1)?.kind).toBe(read.at(-1)?.kind as 'end')
        const said = (list: ConversationEvent[]) => reported(list).filter((event: ConversationEvent) => event.kind === 'delta')
        if (name !== 'tool-no-args') expect(said(again)).toEqual(said(read))
        const usage = again.find((event) => event.kind === 'usage')
        const before = read.find((event) => event.kind === 'usage')
        expect(usage?.usage.in).toEqual(before?.usage.in)
        expect(usage?.usage.out).toEqual(before?.usage.out)
      })
  })
})
