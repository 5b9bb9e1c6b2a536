/**
 * A conversation is compacted on every upstream, by its vendor where possible and otherwise by Parley, and continues on any channel that
 * can read the result: content sealed by Parley on every channel, content sealed by a vendor only on the channel that made it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { responsesVendor } from '#testing/vendors/responses-vendor'
import { compactingVendor } from './support/compacting-vendor.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

const kinds = ['chat', 'responses', 'messages', 'gemini'] as const
type Kind = (typeof kinds)[number]

const upstreams: Record<Kind, { vendor: string; model: string; script: Script; speaks?: string[] }> = {
  chat: { vendor: 'openai', model: 'gpt-test', script: chatVendor(), speaks: ['chat'] },
  responses: { vendor: 'openai-compatible', model: 'gpt-test', script: responsesVendor(), speaks: ['responses'] },
  messages: { vendor: 'anthropic', model: 'claude-sonnet-4-5', script: messagesVendor({ models: ['claude-sonnet-4-5'] }) },
  gemini: { vendor: 'gemini', model: 'gemini-3-pro', script: geminiVendor({ models: ['gemini-3-pro'] }) },
}

const trigger = { type: 'compaction_trigger' } as const
const user = (content: string) => ({ role: 'user', content }) as const
const history = [
  user('My name is Ada.'),
  { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'sunny in Oslo' },
  { role: 'assistant', content: 'It is sunny.' },
  user('Remember the number 4711.'),
] as const
const tools = [
  { type: 'function', name: 'weather', strict: false, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
]
const mark = 'gw1.'

interface Item {
  type: string
  id?: string
  role?: string
  encrypted_content?: string
  content?: { text: string }[]
}
interface Answer {
  id: string
  object: string
  status?: string
  output: Item[]
  usage: { input_tokens: number; output_tokens: number; total_tokens: number }
  error?: { code: string; param: string | null; message: string; type: string }
}
interface Row {
  cost: string
  operation: string
  channel: string
  status: number
  attempts: unknown[]
  losses: { field: string; what: string }[]
}

let gateway: Gateway
const servers = new Map<Kind, ScriptedUpstream>()
const natives: ScriptedUpstream[] = []
const nativeIds: string[] = []
const on = (kind: Kind) => servers.get(kind) as ScriptedUpstream

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  for (const kind of kinds) {
    const { vendor, model, script, speaks } = upstreams[kind]
    const server = await scriptedUpstream(script)
    servers.set(kind, server)
    await gateway.price(`on-${kind}`)
    await gateway.channel(kind, server.url, { vendor, models: [{ name: `on-${kind}`, upstream: model }], ...(speaks && { speaks }) })
  }
  await gateway.price('native')
  for (const account of ['one', 'two']) {
    const server = await scriptedUpstream(compactingVendor(account))
    natives.push(server)
    const fields = { vendor: 'openai', speaks: ['responses'], models: [{ name: 'native', upstream: 'native' }] }
    nativeIds.push((await gateway.channel(`account ${account}`, server.url, fields)).id)
  }
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  for (const server of [...servers.values(), ...natives]) await server.close()
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}, key = gateway.key) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const read = async (response: Response) => ({
  status: response.status,
  losses: response.headers.get('x-parley-losses') ?? '',
  row: await gateway.log<Row>(response.headers.get('x-request-id') ?? ''),
  body: (await response.json()) as Answer,
})
const create = async (body: object, headers?: Record<string, string>, key?: string) =>
  read(await post('/v1/responses', { store: false, ...body }, headers, key))
const textIn = ({ output }: Answer) => output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join('')
const nanos = (usd: string) => Math.round(Number(usd) * 1e9)
/** A price of 1 and 2 USD per million tokens. */
const priceOf = ({ usage }: Answer) => usage.input_tokens * 1000 + usage.output_tokens * 2000

describe.each([...kinds])('on an upstream of %s, which compacts nothing', (kind) => {
  const model = `on-${kind}`
  let since = 0
  beforeEach(() => {
    since = on(kind).requests.length
  })
  const sent = () =>
    on(kind)
      .requests.slice(since)
      .map((request) => request.text())

  test('a trigger is answered with one sealed item, asked for once and paid for once', async () => {
    const { body, row, losses } = await create({ model, input: [...history, trigger], tools, instructions: 'Be brief.' })
    expect([body.object, body.status, body.output.length]).toEqual(['response', 'completed', 1])
    expect(body.output[0]).toMatchObject({ type: 'compaction', id: expect.stringMatching(/^cmp_/) })
    expect(body.output[0]?.encrypted_content).toStartWith(mark)
    expect(body.usage.output_tokens).toBeGreaterThan(0)
    expect(nanos(row.cost)).toBe(priceOf(body))
    expect(losses).toContain('compaction:adapted')
    expect(sent()).toHaveLength(1)
    for (const told of ['My name is Ada.', 'sunny in Oslo', '4711', 'Be brief.']) expect(sent()[0]).toContain(told)
    expect(sent()[0]).not.toContain('compaction')
  })

  test('a streamed trigger says the item as events, and no word of the summary', async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
    const types: string[] = []
    const items: Item[] = []
    let final: OpenAI.Responses.Response | undefined
    const events = await client.responses.create({ model, stream: true, store: false, input: [...history, trigger] })
    for await (const event of events) {
      types.push(event.type)
      if (event.type === 'response.output_item.done') items.push(event.item as Item)
      if (event.type === 'response.completed') final = event.response
    }
    const begun = ['response.created', 'response.in_progress', 'response.output_item.added', 'response.output_item.done']
    expect(types).toEqual([...begun, 'response.completed'])
    expect(items[0]).toMatchObject({ type: 'compaction', encrypted_content: expect.stringMatching(/^gw1\./) })
    expect(final?.output as unknown[]).toEqual(items)
    expect(final?.usage?.output_tokens).toBeGreaterThan(0)
  })

  test('the endpoint answers the SDK with what the user said and the item, and every upstream goes on from there', async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
    const { data, response } = await client.responses.compact({ model, input: [...history] }).withResponse()
    expect(data).toMatchObject({ object: 'response.compaction', id: expect.stringMatching(/^resp_/) })
    expect(data.output.map(({ type }) => type as string)).toEqual(['message', 'message', 'compaction'])
    const row = await gateway.log<Row>(response.headers.get('x-request-id') ?? '')
    expect(row).toMatchObject({ operation: 'compact', status: 200, channel: kind })
    expect(nanos(row.cost)).toBe(priceOf(data as unknown as Answer))
    for (const next of kinds) {
      const before = on(next).requests.length
      const { status, body } = await create({ model: `on-${next}`, input: [...data.output, user('scenario recall')] })
      expect(status).toBe(200)
      expect(textIn(body)).toMatch(/We said: user: My name is Ada\.[\s\S]*Remember the number 4711\.[\s\S]*<summary>\s+You said:/)
      expect(on(next).requests.length).toBe(before + 1)
      for (const hidden of [mark, 'compaction"', 'cmp_']) expect(on(next).requests[before]?.text()).not.toContain(hidden)
    }
  })

  test('what was compacted can be compacted again', async () => {
    const first = await create({ model, input: [...history, trigger] })
    const again = await create({ model, input: [...first.body.output, user('And 42.'), trigger] })
    expect(again.body.output).toHaveLength(1)
    expect(sent()[1]).toContain('<summary>')
    expect(sent()[1]).not.toContain(mark)
  })

  test('a summary that is cut is no summary', async () => {
    // The scripted model of this dialect minds a limit only in its scenarios.
    if (kind === 'chat') on(kind).next(respondJson(200, chatAnswer('half of', 'length')))
    const { body, row } = await create({ model, input: [...history, trigger], max_output_tokens: 16 })
    expect([body.status, body.output]).toEqual(['incomplete', []])
    expect(nanos(row.cost)).toBe(priceOf(body))
  })
})

describe('what Parley sealed', () => {
  const compacted = async () => (await create({ model: 'on-chat', input: [...history, trigger] })).body.output[0] as Item

  test('is refused when it was changed or is another user`s: no upstream is asked, nothing is charged', async () => {
    const item = await compacted()
    const stranger = await gateway.user('stranger', '1')
    const sealed = item.encrypted_content ?? ''
    const broken = { ...item, encrypted_content: `${sealed.slice(0, -4)}AAAA` }
    for (const kind of kinds) {
      const before = on(kind).requests.length
      const tries: [object, string][] = [
        [broken, gateway.key],
        [item, stranger.key],
      ]
      for (const [given, key] of tries) {
        const { status, body, row } = await create({ model: `on-${kind}`, input: [given, user('hi')] }, {}, key)
        expect([status, body.error?.code, body.error?.param, body.error?.type]).toEqual([
          400,
          'invalid_value',
          'input[0].encrypted_content',
          'invalid_request_error',
        ])
        expect([row.cost, JSON.stringify(body).includes(sealed.slice(4, 40))]).toEqual(['0', false])
      }
      expect(on(kind).requests.length).toBe(before)
    }
  })

  test('takes the place of everything before it in a kept conversation', async () => {
    const first = await create({ model: 'on-chat', store: true, input: 'The old words.' })
    const second = await create({ model: 'on-chat', store: true, input: [trigger], previous_response_id: first.body.id })
    expect(second.body.output[0]?.type).toBe('compaction')
    const before = on('messages').requests.length
    const third = await create({ model: 'on-messages', store: true, input: 'scenario recall', previous_response_id: second.body.id })
    expect(textIn(third.body)).toContain('<summary>')
    expect(on('messages').requests[before]?.text()).not.toContain('The old words.')
  })

  test('an empty summary is another attempt, and only the one that delivered is paid for', async () => {
    on('chat').next(respondJson(200, chatAnswer('', 'stop')))
    const { body, row } = await create({ model: 'on-chat', input: [...history, trigger] })
    expect(body.output[0]?.type).toBe('compaction')
    expect([row.attempts.length, nanos(row.cost)]).toEqual([2, priceOf(body)])
  })

  test('a stream whose summary breaks off fails, and says no item', async () => {
    const pieces = [{ content: 'Half of ' }, { content: 'it' }].map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }))
    const end = {
      choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    }
    const frames = [...pieces, end].map(
      (chunk) => `data: ${JSON.stringify({ ...chatAnswer('', 'stop'), object: 'chat.completion.chunk', ...chunk })}\n\n`,
    )
    on('chat').next(stream([...frames, 'data: [DONE]\n\n'], { everyMs: 60 }))
    const response = await post('/v1/responses', { model: 'on-chat', stream: true, input: [...history, trigger] })
    const events = await response.text()
    expect(events).toContain('event: response.failed')
    expect(events).not.toContain(mark)
    expect(events).not.toContain('Half of')
    const row = await gateway.log<Row & { error: { code: string } }>(response.headers.get('x-request-id') ?? '')
    expect(row.error.code).toBe('upstream_error')
  })

  test('is words again for a vendor that compacts by itself, whose own item then follows; its endpoint is not bothered', async () => {
    const item = await compacted()
    const since = natives.map(({ requests }) => requests.length)
    const again = await create({ model: 'native', input: [item, user('hi'), trigger] })
    expect(again.body.output[0]?.encrypted_content).toStartWith('sealed-by-')
    const answer = await read(await post('/v1/responses/compact', { model: 'native', input: [item, user('hi')] }))
    expect(answer.body.output.at(-1)?.encrypted_content).toStartWith(mark)
    const sent = natives.flatMap(({ requests }, index) => requests.slice(since[index]))
    expect(sent.map(({ target }) => target)).toEqual(['/v1/responses', '/v1/responses'])
    for (const request of sent) expect([request.text().includes('<summary>'), request.text().includes(mark)]).toEqual([true, false])
  })

  test('the endpoint is not streamed, wants a conversation, and knows its user', async () => {
    const streamed = await read(await post('/v1/responses/compact', { model: 'on-chat', input: 'hi', stream: true }))
    expect([streamed.status, streamed.body.error?.param]).toEqual([400, 'stream'])
    const empty = await read(await post('/v1/responses/compact', { model: 'on-chat', input: [] }))
    expect([empty.status, empty.body.error?.param]).toEqual([400, 'input'])
    expect((await post('/v1/responses/compact', { model: 'on-chat', input: 'hi' }, {}, 'sk-nobody')).status).toBe(401)
    expect((await fetch(`${gateway.url}/v1/responses/compact`)).status).not.toBe(200)
  })
})

describe('what a vendor sealed', () => {
  const raw = (body: string, path = '/v1/responses') =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body,
    })
  const total = () => natives.reduce((sum, { requests }) => sum + requests.length, 0)
  const enable = (index: number, enabled: boolean) => gateway.admin.call('PATCH', `/api/channels/${nativeIds[index]}`, { enabled })
  /** Which account answered this. */
  const accountOf = (row: Row) => (row.channel === 'account one' ? 0 : 1)

  test('trigger and endpoint pass as they are to a channel that compacts by itself', async () => {
    for (const path of ['/v1/responses', '/v1/responses/compact']) {
      const since = natives.map(({ requests }) => requests.length)
      const input = path.endsWith('compact') ? '"hi"' : '[{"role":"user","content":"hi"}, {"type":"compaction_trigger"}]'
      const body = `{ "model":"native",  "input":${input} }`
      const { body: answer, row } = await read(await raw(body, path))
      expect(answer.output.at(-1)).toMatchObject({ type: 'compaction', encrypted_content: expect.stringMatching(/^sealed-by-/) })
      expect(nanos(row.cost)).toBe(priceOf(answer))
      const server = natives[accountOf(row)]
      const request = server?.requests[since[accountOf(row)] ?? 0]
      expect([request?.target, request?.text()]).toEqual([path, body])
    }
  })

  test('an answer without a compaction is passed over: an agent would go on with nothing', async () => {
    const empty = respondJson(200, { id: 'resp_e', object: 'response.compaction', created_at: 1, output: [], usage: null })
    for (const server of natives) server.next(empty)
    const answer = await raw('{"model":"native","input":"hi"}', '/v1/responses/compact')
    // Both accounts, and then one of them again.
    expect(answer.status).toBe(200)
    expect(((await answer.json()) as { output: Item[] }).output).toHaveLength(1)
    await gateway.heal()
  })

  test.each(['trigger', 'streamed trigger', 'endpoint', 'reasoning'])('by %s goes back to the account that made it', async (how) => {
    for (let round = 0; round < 6; round++) {
      const asked = { model: 'native', store: false, input: how === 'reasoning' ? [user('think')] : [user('hi'), trigger] }
      const path = how === 'endpoint' ? '/v1/responses/compact' : '/v1/responses'
      const response = await post(path, { ...asked, ...(how === 'streamed trigger' && { stream: true }) })
      const id = response.headers.get('x-request-id') ?? ''
      const output = how === 'streamed trigger' ? itemsIn(await response.text()) : ((await response.json()) as Answer).output
      const before = total()
      const next = await create({ model: 'native', input: [...output, user('go on')] })
      expect([next.status, next.losses]).toEqual([200, ''])
      expect(next.row.channel).toBe((await gateway.log<Row>(id)).channel)
      expect(total()).toBe(before + 1)
    }
  })

  test('reasoning goes back to its account also from a client of another dialect', async () => {
    const ask = async (messages: object[]) => {
      // Without the wish to think a client gets no thought, and so no state to give back.
      const body = { model: 'native', max_tokens: 64, messages, thinking: { type: 'adaptive' } }
      const response = await post('/v1/messages', body, { 'anthropic-version': '2023-06-01' })
      const { channel } = await gateway.log<Row>(response.headers.get('x-request-id') ?? '')
      return { channel, content: ((await response.json()) as { content: object[] }).content }
    }
    for (let round = 0; round < 6; round++) {
      const first = await ask([user('think')])
      expect(JSON.stringify(first.content)).toContain(mark)
      const index = first.channel === 'account one' ? 0 : 1
      const since = natives[index]?.requests.length ?? 0
      const second = await ask([user('think'), { role: 'assistant', content: first.content }, user('go on')])
      expect(second.channel).toBe(first.channel)
      expect(natives[index]?.requests[since]?.text()).toContain('sealed-by-')
    }
  })

  test('elsewhere a compacted conversation is refused, and reasoning is left behind and reported', async () => {
    const compacted = await create({ model: 'native', input: [user('hi'), trigger] })
    const thought = await create({ model: 'native', input: [user('think')] })
    for (const { row } of [compacted, thought]) {
      const maker = accountOf(row)
      const other = natives[1 - maker]
      await enable(maker, false)
      try {
        const before = other?.requests.length ?? 0
        if (row === compacted.row) {
          const { status, body } = await create({ model: 'native', input: [...compacted.body.output, user('go on')] })
          expect([status, body.error?.code, body.error?.param]).toEqual([400, 'unsupported_value', 'input[0]'])
          expect(other?.requests.length).toBe(before)
          continue
        }
        const input = [user('think'), ...thought.body.output, user('go on')]
        const { status, losses } = await create({ model: 'native', input })
        expect([status, losses]).toEqual([200, expect.stringContaining('turns.reasoning:dropped')])
        expect(other?.requests[before]?.text()).not.toContain('sealed-by-')
        const strict = await create({ model: 'native', input }, { 'x-parley-strict': 'true' })
        expect([strict.status, strict.body.error?.code]).toEqual([400, 'unsupported_value'])
      } finally {
        await enable(maker, true)
      }
    }
  })

  test('no other dialect can read it', async () => {
    const { body } = await create({ model: 'native', input: [user('hi'), trigger] })
    for (const kind of ['chat', 'messages', 'gemini'] as const) {
      const { status, body: refusal } = await create({ model: `on-${kind}`, input: [...body.output, user('go on')] })
      expect([status, refusal.error?.code]).toEqual([400, 'unsupported_value'])
    }
  })
})

/** A whole answer of a Chat upstream. */
const chatAnswer = (content: string, reason: string) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-test',
  choices: [{ index: 0, finish_reason: reason, message: { role: 'assistant', content } }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
})

const itemsIn = (events: string): Item[] =>
  events
    .split('\n\n')
    .map((event) => /^data: (.*)$/m.exec(event)?.[1])
    .filter((data) => data !== undefined)
    .map((data) => JSON.parse(data) as { type: string; item: Item })
    .filter(({ type }) => type === 'response.output_item.done')
    .map(({ item }) => item)
