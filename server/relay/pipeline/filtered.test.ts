/** On each dialect's own frames: a filter without output is an error; everything else passes byte for byte. */
import { describe, expect, test } from 'bun:test'
import { resolveRates } from '#billing/pricing/rates'
import type { FrameVerdict } from '#canonical/codec'
import { conversationCodecs } from '#protocols/index'
import type { Exchange } from '#relay/contract/exchange'
import { systemClock, systemRandom } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import { createSseSplitter } from '#shared/sse'
import { testCandidate, testChannel } from '#testing/candidate'
import { reportingFilter } from './filtered.ts'

const data = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
type Named = { type: string } & Record<string, unknown>
const named = (...events: Named[]) => events.map((event) => `event: ${event.type}\n${data(event)}`).join('')

interface Wire {
  stream(text: string | undefined): string
  whole(text: string | undefined): object
}

const chunk = (delta: object, finish: string | null) =>
  data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
}
const filtered = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', usage: null }
const item = (text: string) => ({ id: 'i', type: 'message', role: 'assistant', status: 'incomplete', content: [part(text)] })
const part = (text: string) => ({ type: 'output_text', text, annotations: [] })
const geminiAnswer = (text: string | undefined) => ({
  candidates: [{ index: 0, finishReason: 'SAFETY', ...(text !== undefined && { content: { role: 'model', parts: [{ text }] } }) }],
  usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 },
  modelVersion: 'm',
  responseId: 'r',
})

const wires: Partial<Record<Dialect, Wire>> = {
  chat: {
    stream: (text) =>
      `${chunk({ role: 'assistant', content: '' }, null)}${text ? chunk({ content: text }, null) : ''}${chunk({}, 'content_filter')}data: [DONE]\n\n`,
    whole: (text) => ({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: text ?? null }, finish_reason: 'content_filter' }],
    }),
  },
  messages: {
    stream: (text) =>
      named(
        { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
        ...(text === undefined
          ? []
          : ([
              { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
              { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
              { type: 'content_block_stop', index: 0 },
            ] as Named[])),
        { type: 'message_delta', delta: { stop_reason: 'refusal', stop_sequence: null }, usage: { output_tokens: 1 } },
        { type: 'message_stop' },
      ),
    whole: (text) => ({ ...message, content: text === undefined ? [] : [{ type: 'text', text }], stop_reason: 'refusal' }),
  },
  responses: {
    stream: (text) =>
      named(
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
        ...(text === undefined
          ? []
          : ([
              { type: 'response.output_item.added', output_index: 0, item: { ...item(''), content: [] } },
              { type: 'response.content_part.added', item_id: 'i', output_index: 0, content_index: 0, part: part('') },
              { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: text },
            ] as Named[])),
        {
          type: 'response.incomplete',
          response: { ...response, ...filtered, output: text === undefined ? [] : [item(text)] },
        },
      ),
    whole: (text) => ({ ...response, ...filtered, output: text === undefined ? [] : [item(text)] }),
  },
  gemini: { stream: (text) => data(geminiAnswer(text)), whole: geminiAnswer },
}

async function exchangeOf(dialect: Dialect): Promise<Exchange> {
  const codec = conversationCodecs[dialect]
  const native: Exchange = {
    request: { method: 'POST', url: 'http://127.0.0.1', headers: {}, body: '' },
    upstream: codec,
    losses: [],
    whole: (body) => codec.readWhole(body, {}, 1),
    splitter: () => createSseSplitter(),
    passage() {
      const meter = codec.meter({})
      return {
        push: (frame) => meter.push(frame),
        close: () => ({ out: meter.tail(), meaningful: true, last: true }),
        usage: () => meter.usage(1),
        finished: () => 'complete',
        failure: codec.writeStreamError,
      }
    },
  }
  const reporting = reportingFilter(async () => native, { clock: systemClock, random: systemRandom })
  const exchange = await reporting({ ...testCandidate(testChannel('c')), dialect }, resolveRates({ request: '0' }))
  if (exchange instanceof GatewayError) throw exchange
  return exchange
}

async function play(dialect: Dialect, stream: string): Promise<FrameVerdict[]> {
  const exchange = await exchangeOf(dialect)
  const splitter = createSseSplitter()
  const passage = exchange.passage('text/event-stream')
  const verdicts = [...splitter.push(new TextEncoder().encode(stream)), ...splitter.end()].map((frame) => passage.push(frame))
  return verdicts.some(({ last, error }) => last || error) ? verdicts : [...verdicts, passage.close()]
}

describe.each(Object.entries(wires))('%s', (name, wire) => {
  const dialect = name as Dialect

  test('a stream that a filter ended without content is an error before its first meaningful event', async () => {
    const verdicts = await play(dialect, wire.stream(undefined))
    const at = verdicts.findIndex(({ error }) => error)
    expect(verdicts[at]?.error?.publicCode).toBe('content_filter')
    expect(verdicts.slice(0, at).some(({ meaningful }) => meaningful)).toBe(false)
  })

  test('a stream with content passes, and is meaningful from its first word on', async () => {
    const stream = wire.stream('Well')
    const verdicts = await play(dialect, stream)
    expect(verdicts.some(({ error }) => error)).toBe(false)
    expect(Buffer.concat(verdicts.flatMap(({ out }) => out ?? [])).toString()).toBe(stream)
    const word = verdicts.findIndex(({ out }) => Buffer.from(out ?? []).includes('Well'))
    expect(verdicts[word]?.meaningful).toBe(true)
  })

  test('the same for a whole answer', async () => {
    const exchange = await exchangeOf(dialect)
    let thrown: unknown
    try {
      await exchange.whole(JSON.stringify(wire.whole(undefined)), [])
    } catch (error) {
      thrown = error
    }
    expect((thrown as GatewayError).publicCode).toBe('content_filter')
    const said = JSON.stringify(wire.whole('Well'))
    expect((await exchange.whole(said, [])).body).toBe(said)
  })
})
