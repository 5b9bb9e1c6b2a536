/**
 * What an answer loses in conversion to the client's dialect is reported: for a whole answer in a header and the usage row, for a stream in
 * the row. Losses never block an answer, not even in strict mode.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngines } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

const model = 'claude-sonnet-4-5'
const citation = {
  type: 'char_location',
  cited_text: 'It is',
  document_index: 0,
  document_title: 'A',
  start_char_index: 0,
  end_char_index: 5,
}
const usage = { input_tokens: 5, output_tokens: 4 }
const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null, usage }
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } }

const whole = respondJson(200, {
  ...message,
  content: [search, { type: 'text', text: 'It is so.', citations: [citation] }],
  stop_reason: 'end_turn',
})

const events = (...list: { type: string }[]) => list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
const start = { type: 'message_start', message: { ...message, content: [], stop_reason: null } }
const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const delta = (index: number, piece: object) => ({ type: 'content_block_delta', index, delta: piece })
const stop = (index: number) => ({ type: 'content_block_stop', index })
const end = [{ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }, { type: 'message_stop' }]
const words = [block(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'It is so.' })]
const source = [delta(0, { type: 'citations_delta', citation }), stop(0)]
const sourceLast = [...words, ...source]
const stepFirst = [block(0, search), stop(0), block(1, { type: 'text', text: '' }), delta(1, { type: 'text_delta', text: 'Hi.' }), stop(1)]

describe.each(sampledEngines(import.meta.file))('losses of answers on %s', (engine) => {
  let gateway: Gateway
  let upstream: ScriptedUpstream

  beforeAll(async () => {
    upstream = await scriptedUpstream(messagesVendor({ models: [model] }))
    gateway = await startGateway(engine)
    await gateway.channel('claude', upstream.url, { vendor: 'anthropic', models: [model] })
    await gateway.price(model)
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    await upstream?.close()
  })

  async function ask(fields: object, headers: Record<string, string> = {}, headCame: () => void = () => undefined) {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], ...fields }),
    })
    headCame()
    const text = await response.text()
    const row = (await gateway.log(response.headers.get('x-request-id') ?? '')) as {
      status: number
      end: string
      losses: { field: string; what: string; reason: string }[]
    }
    const losses = row.losses.map(({ field, what }) => `${field}:${what}`)
    return { status: response.status, text, header: response.headers.get('x-parley-losses'), losses, end: row.end, row }
  }

  test('a whole answer: in the header and in the row, behind those of the request', async () => {
    upstream.next(whole)
    const answer = await ask({ seed: 7 })
    const losses = ['sampling.seed:dropped', 'response.native:dropped', 'response.citations:dropped']
    expect(answer).toMatchObject({ status: 200, end: 'complete', header: losses.join(','), losses })
    expect(answer.text).toContain('It is so.')
    for (const { reason } of answer.row.losses) expect(reason).toMatch(/\w/)
  })

  test('a stream: what the head knew in the header, all of it in the row', async () => {
    // What comes together with the first event is known to the head, too.
    const head = Promise.withResolvers<void>()
    upstream.next(async (exchange) => {
      await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
      await exchange.chunk(events(start, ...words).join(''))
      await head.promise
      await exchange.chunk(events(...source, ...end).join(''))
      await exchange.lastChunk()
    })
    const late = await ask({ stream: true, seed: 7 }, {}, head.resolve)
    expect(late).toMatchObject({
      status: 200,
      end: 'complete',
      header: 'sampling.seed:dropped',
      losses: ['sampling.seed:dropped', 'response.citations:dropped'],
    })
    upstream.next(stream(events(start, ...stepFirst, ...end), { everyMs: 5 }))
    const early = await ask({ stream: true })
    expect(early).toMatchObject({ status: 200, header: 'response.native:dropped', losses: ['response.native:dropped'] })
    expect(early.text).toContain('[DONE]')
  })

  test('a stream that breaks tells what was lost until then', async () => {
    upstream.next(stream(events(start, ...sourceLast), { everyMs: 5, ending: 'close' }))
    const cut = await ask({ stream: true })
    expect([cut.end === 'complete', cut.losses]).toEqual([false, ['response.citations:dropped']])
  })

  test('strict mode refuses what a request would lose, and withholds no answer', async () => {
    const strict = { 'x-parley-strict': 'true' }
    upstream.next(whole)
    const answer = await ask({}, strict)
    expect(answer).toMatchObject({ status: 200, losses: ['response.native:dropped', 'response.citations:dropped'] })
    upstream.next(stream(events(start, ...sourceLast, ...end)))
    expect(await ask({ stream: true }, strict)).toMatchObject({ status: 200, end: 'complete', losses: ['response.citations:dropped'] })
  })
})
