/** The worker's results are byte for byte those of this thread. */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import type { Opaque } from '#canonical/conversation'
import { conversationCodecs } from '#protocols/index'
import { operationCodecs } from '#protocols/operations'
import { writtenBody } from '#relay/exchange/outgoing'
import { GatewayError } from '#shared/errors'
import { type Dialect, dialects, type SideOperation } from '#shared/ids'
import { bedrockBody } from '#vendors/clouds/claude-cloud'
import { createLargeJobs } from './jobs.ts'

const folders: Record<Dialect, string> = {
  chat: 'openai/chat',
  completions: 'openai/completions',
  responses: 'openai/responses',
  messages: 'anthropic/messages',
  gemini: 'gemini/generate-content',
}
const protocols = new URL('../../protocols/', import.meta.url).pathname

function* requests(): Generator<[dialect: Dialect, name: string, raw: string]> {
  for (const dialect of dialects) {
    const folder = `${protocols}${folders[dialect]}/fixtures`
    for (const name of readdirSync(folder)) {
      const file = `${folder}/${name}/request.json`
      if (readdirSync(`${folder}/${name}`).includes('request.json')) yield [dialect, name, readFileSync(file, 'utf8')]
    }
  }
}

const outcome = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [thrown.code, thrown.param, thrown.message]
    throw thrown
  }
}

const target = { model: 'upstream', capabilities: {}, stream: false }
const channel = { id: 'c', systemPrompt: 'Be kind.', params: { set: { user: 'house' }, remove: ['seed'] } }
/** Neither changed for a cloud, signed nor compacted. */
const plain = { finish: {}, converses: false, compacts: false } as const
const path = 'm:generateContent'
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

test('every fixture in every dialect: its head, its edits, its conversion', async () => {
  let compared = 0
  for (const [dialect, name, raw] of requests()) {
    const jobs = createLargeJobs()
    const codec = conversationCodecs[dialect]
    const asked = { operation: 'generate', dialect, path } as const
    const pieces = [Buffer.from(raw.slice(0, 7)), Buffer.from(raw.slice(7))]
    const opened = await outcome(() => jobs.open(1, pieces, asked).head)
    expect([name, opened]).toEqual([name, await outcome(() => codec.readHead(codec.scan(raw), path))])
    if (Array.isArray(opened)) continue
    const edits = { model: 'other', systemPrompt: 'Be kind.', set: { user: 'house' } }
    const removed = ['seed', ...('top_k' in JSON.parse(raw) ? ['top_k'] : [])]
    const edited = await outcome(() => text(jobs.edited(1, { ...edits, remove: ['seed'] }, ['top_k', 'nothing'], {}).bytes))
    expect(edited).toEqual(await outcome(() => codec.editRequest(raw, { ...edits, remove: removed })))
    for (const upstream of dialects) {
      const files = new Map<string, never>()
      const wanted = {
        opened: new Map<string, Opaque>(),
        recalled: new Map(),
        makers: new Map(),
        model: 'm',
        strict: false,
        files,
        ...plain,
      }
      const refuses = ['stop', 'seed']
      const made: unknown = await outcome(() =>
        jobs.converted(1, { ...wanted, dialect: upstream, channel: { ...channel, refuses }, target }),
      )
      const direct = await outcome(() => {
        const read = codec.readRequest(raw, path)
        const request = { ...read, turns: read.turns.filter(({ parts }) => parts.length > 0), model: 'm' }
        return writtenBody(conversationCodecs[upstream], request, { target, channel, refuses, strict: false, lost: [] })
      })
      if (typeof made === 'object' && made !== null && 'wants' in made) continue
      const crossed = Array.isArray(made) ? made : withText(structuredClone(made) as { bytes: Uint8Array; outline: unknown })
      expect<unknown>([name, upstream, crossed]).toEqual([name, upstream, direct])
      compared++
    }
  }
  expect(compared).toBeGreaterThan(300)
})

function withText({ bytes, outline: _, question: __, ...rest }: { bytes: Uint8Array; outline: unknown; question?: unknown }) {
  return { ...rest, body: text(bytes) }
}

test('other operations are read and edited, with the model that their address names', () => {
  const jobs = createLargeJobs()
  const raw = '{"input":["a","b"],"model":"theirs"}'
  const asked = { operation: 'embed', dialect: 'openai', model: { rule: 'engine', name: 'mine' } } as const
  const endpoint = operationCodecs.embed.openai
  if (!endpoint || !('readHead' in endpoint)) throw new Error('no endpoint')
  expect(jobs.open(1, [Buffer.from(raw)], asked).head).toEqual(endpoint.readHead('{"input":["a","b"],"model":"mine"}'))
  expect(text(jobs.edited(1, { model: 'upstream' }, [], {}).bytes)).toBe('{"input":["a","b"],"model":"upstream"}')
})

test('files are wanted first, and a body is gone when it is released', async () => {
  const jobs = createLargeJobs()
  const url = 'https://a.example/fox.png'
  const raw = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] })
  jobs.open(1, [Buffer.from(raw)], { operation: 'generate', dialect: 'chat' })
  const base = {
    opened: new Map(),
    recalled: new Map(),
    makers: new Map(),
    model: 'm',
    strict: false,
    dialect: 'gemini',
    ...plain,
  } as const
  const wanted = { ...base, channel: { ...channel, refuses: [] }, target }
  expect(await jobs.converted(1, { ...wanted, files: new Map() })).toEqual({ wants: [url] })
  const file = { mimeType: 'image/png', data: 'AAAA', bytes: 3 } as const
  const made = await jobs.converted(1, { ...wanted, files: new Map([[url, file]]) })
  expect('bytes' in made && text(made.bytes)).toContain('"inlineData":{"mimeType":"image/png","data":"AAAA"}')
  const refusal = { refusal: 'invalid_value', message: 'no', detail: {} } as const
  const failed = await outcome(() => jobs.converted(1, { ...wanted, files: new Map([[url, refusal]]) }))
  expect(failed).toEqual(['invalid_value', 'messages[0].content[0].image_url', 'no'])
  jobs.release(1)
  expect(await outcome(() => jobs.states(1))).toEqual(['overloaded', undefined, 'The request body is gone. Try again.'])
})

test('a cloud gets its own fields, and the digest of what is sent', async () => {
  const jobs = createLargeJobs()
  const raw = '{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}'
  jobs.open(1, [Buffer.from(raw)], { operation: 'generate', dialect: 'messages' })
  const finish = { quirk: bedrockBody, listed: 'a, b', digest: true } as const
  const { bytes, sha256 } = jobs.edited(1, {}, [], finish)
  expect(JSON.parse(text(bytes))).toEqual({
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['a', 'b'],
  })
  expect(sha256).toBe(new Bun.CryptoHasher('sha256').update(bytes).digest('hex'))
})

test('a conversation is compacted: the question is for a summary, and the answer begins with what its caller said', async () => {
  const jobs = createLargeJobs()
  const raw = '{"model":"m","input":[{"role":"user","content":"My name is Ada."},{"role":"assistant","content":"Hi."}]}'
  jobs.open(1, [Buffer.from(raw)], { operation: 'compact', dialect: 'responses' })
  const base = { opened: new Map(), recalled: new Map(), makers: new Map(), model: 'm', strict: false, dialect: 'chat' } as const
  const made = await jobs.converted(1, {
    ...base,
    ...plain,
    compacts: true,
    channel: { ...channel, refuses: [] },
    target,
    files: new Map(),
  })
  if (!('bytes' in made)) throw new Error('files of a text')
  const { messages } = JSON.parse(text(made.bytes)) as { messages: { role: string; content: string }[] }
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  expect([made.losses.map(({ field }) => field), JSON.parse(made.summary ?? '{}').turns]).toEqual([['compaction'], []])
  const answer = '{"id":"resp_1","output":[{"type":"compaction"}]}'
  expect(JSON.parse(text(jobs.compacted(1, answer, 'seed')))).toEqual({
    id: 'resp_1',
    output: [
      expect.objectContaining({ id: 'msg_seed000000', content: [{ type: 'input_text', text: 'My name is Ada.' }] }),
      { type: 'compaction' },
    ],
  })
})

describe('the question of an operation', () => {
  const ask = (operation: SideOperation, body: unknown) => {
    const jobs = createLargeJobs()
    const dialect = operation === 'rerank' ? 'jina' : 'openai'
    const opened = jobs.open(1, [Buffer.from(JSON.stringify(body))], { operation, dialect })
    return { jobs, opened }
  }
  const wanted = { target, params: { set: { extra: 1 } }, digest: false }
  const documents = ['one', 'two']

  test('is written for another style, and its answer read and written', () => {
    const { jobs, opened } = ask('rerank', { model: 'm', query: 'q', documents, return_documents: true })
    const written = jobs.questioned(1, { ...wanted, style: 'cohere' })
    if ('wants' in written) throw new Error('files of a text')
    expect(JSON.parse(text(written.requests[0].bytes))).toEqual({ model: 'upstream', query: 'q', documents, extra: 1 })
    const answering = { edits: {}, priced: undefined, now: 0 }
    const answer = '{"results":[{"index":1,"relevance_score":0.5}],"meta":{"billed_units":{"search_units":1}}}'
    const given = jobs.answered(1, [answer], { ...answering, style: 'cohere' })
    expect(JSON.parse(text(given.bytes))).toMatchObject({ model: 'm', results: [{ index: 1, document: { text: 'two' } }] })
    expect(given.usage.units.searches).toBe(1)
    // The documents of a request of the same style stay in the worker.
    expect([opened.readsAnswers, 'question' in opened.head]).toEqual([true, false])
    const own = jobs.answered(1, [answer], answering)
    expect(JSON.parse(text(own.bytes))).toMatchObject({ results: [{ index: 1, document: { text: 'two' } }] })
  })

  test('that is sent several times is bytes once', () => {
    const { jobs, opened } = ask('image', { model: 'm', prompt: 'a fox', n: 2, response_format: 'b64_json' })
    const written = jobs.questioned(1, { ...wanted, style: 'gemini' })
    if ('wants' in written) throw new Error('files of a text')
    const [first, second] = written.requests
    expect(first.bytes).toBe(second?.bytes as typeof first.bytes)
    expect([opened.readsAnswers, written.outline]).toEqual([false, expect.objectContaining({ prompt: '', n: 2 })])
  })

  test('names its files first', () => {
    const url = 'https://a.example/fox.png'
    const { jobs } = ask('image', { model: 'm', prompt: 'x', images: [{ image_url: url }] })
    expect(jobs.questioned(1, { ...wanted, style: 'gemini' })).toEqual({ wants: [{ source: { url }, param: 'images[0].image_url' }] })
    const files = [{ mimeType: 'image/png', data: 'AAAA' }]
    const written = jobs.questioned(1, { ...wanted, style: 'gemini', files })
    expect('requests' in written && text(written.requests[0].bytes)).toContain('"data":"AAAA"')
  })
})
