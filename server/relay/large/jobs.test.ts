/** What the worker makes of a body is byte for byte what this thread would. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import type { Opaque } from '#canonical/conversation'
import { conversationCodecs } from '#protocols/index'
import { operationCodecs } from '#protocols/operations'
import { writtenBody } from '#relay/exchange/outgoing'
import { GatewayError } from '#shared/errors'
import { type Dialect, dialects } from '#shared/ids'
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
    const edited = await outcome(() => text(jobs.edited(1, { ...edits, remove: ['seed'] }, ['top_k', 'nothing']).bytes))
    expect(edited).toEqual(await outcome(() => codec.editRequest(raw, { ...edits, remove: removed })))
    for (const upstream of dialects) {
      const files = new Map<string, never>()
      const wanted = { opened: new Map<string, Opaque>(), recalled: new Map(), makers: new Map(), model: 'm', strict: false, files }
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

function withText({ bytes, outline: _, ...rest }: { bytes: Uint8Array; outline: unknown }) {
  return { ...rest, body: text(bytes) }
}

test('other operations are read and edited, with the model that their address names', () => {
  const jobs = createLargeJobs()
  const raw = '{"input":["a","b"],"model":"theirs"}'
  const asked = { operation: 'embed', dialect: 'openai', model: { rule: 'engine', name: 'mine' } } as const
  const door = operationCodecs.embed.openai
  if (!door || !('readHead' in door)) throw new Error('no door')
  expect(jobs.open(1, [Buffer.from(raw)], asked).head).toEqual(door.readHead('{"input":["a","b"],"model":"mine"}'))
  expect(text(jobs.edited(1, { model: 'upstream' }, []).bytes)).toBe('{"input":["a","b"],"model":"upstream"}')
})

test('files are wanted first, and a body is gone when it is released', async () => {
  const jobs = createLargeJobs()
  const url = 'https://a.example/fox.png'
  const raw = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] })
  jobs.open(1, [Buffer.from(raw)], { operation: 'generate', dialect: 'chat' })
  const base = { opened: new Map(), recalled: new Map(), makers: new Map(), model: 'm', strict: false, dialect: 'gemini' } as const
  const wanted = { ...base, channel: { ...channel, refuses: [] }, target }
  expect(await jobs.converted(1, { ...wanted, files: new Map() })).toEqual({ wants: [url] })
  const file = { mimeType: 'image/png', data: 'AAAA', bytes: 3 } as const
  const made = await jobs.converted(1, { ...wanted, files: new Map([[url, file]]) })
  expect('bytes' in made && text(made.bytes)).toContain('"inlineData":{"mimeType":"image/png","data":"AAAA"}')
  const refusal = { refusal: 'invalid_value', message: 'no', detail: {} } as const
  const failed = await outcome(() => jobs.converted(1, { ...wanted, files: new Map([[url, refusal]]) }))
  expect(failed).toEqual(['invalid_value', 'messages[0].content[0].image_url', 'no'])
  jobs.release(1)
  expect(await outcome(() => jobs.text(1))).toEqual(['overloaded', undefined, 'The request body is gone. Try again.'])
})
