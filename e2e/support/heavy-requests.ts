/** For each door, the most work that it takes: as many bytes as it lets through, and as many values. */

import { testModel } from './gateway.ts'
import { convertedModel } from './large-bodies.ts'

/** A model whose only channel speaks the formats of Gemini, whatever the operation. */
export const geminiModel = 'gemini-test'
/** A model whose only channel speaks Cohere's format of rerank. */
export const cohereModel = 'cohere-test'

/** One request. */
export interface HeavyRequest {
  name: string
  method?: string
  path: string
  /** A cookie of the administrator, a key of models, or nothing. */
  as: 'session' | 'key' | 'stranger'
  headers?: Record<string, string>
  body: string | FormData
}

const mebibyte = 1024 * 1024
const list = (item: string, times: number) => `[${`${item},`.repeat(times - 1)}${item}]`
const long = (megabytes: number) => 'x'.repeat(megabytes * mebibyte)
const escaped = (megabytes: number) => '\\n'.repeat((megabytes * mebibyte) / 2)
const named = (model: string, rest: string) => `{"model":"${model}",${rest}}`
/** Just below what is weighed as too many values. */
const many = 230_000
const version = { 'anthropic-version': '2023-06-01' }

const key = (name: string, path: string, body: string | FormData, headers: Record<string, string> = {}): HeavyRequest => ({
  ...{ name, path, body, headers },
  as: 'key',
})

/** Every operation but generation that is neither kept nor continued, which `large-bodies.ts` has. */
export function* operationRequests(): Generator<HeavyRequest> {
  for (const [kind, model] of [
    ['native', testModel],
    ['converted', geminiModel],
  ] as const) {
    yield key(`${kind} embeddings, bytes`, '/v1/embeddings', named(model, `"input":"${escaped(31)}"`))
    yield key(`${kind} embeddings, values`, '/v1/embeddings', named(model, `"input":${list('"x"', many)}`))
    yield key(`${kind} images, bytes`, '/v1/images/generations', named(model, `"prompt":"${long(31)}"`))
    const image = `{"image_url":"data:image/png;base64,${long(7)}"}`
    yield key(`${kind} image edits`, '/v1/images/edits', named(model, `"prompt":"x","images":${list(image, 4)}`))
  }
  yield key('speech', '/v1/audio/speech', named(testModel, `"voice":"alloy","input":"${long(31)}"`))
  yield key('moderations, bytes', '/v1/moderations', named(testModel, `"input":"${escaped(31)}"`))
  yield key('moderations, values', '/v1/moderations', named(testModel, `"input":${list('"x"', many)}`))
  for (const [kind, model] of [
    ['native', testModel],
    ['converted', cohereModel],
  ] as const) {
    yield key(`${kind} rerank, bytes`, '/v1/rerank', named(model, `"query":"x","documents":["${long(15)}","${escaped(15)}"]`))
    yield key(`${kind} rerank, values`, '/v1/rerank', named(model, `"query":"x","documents":${list('"x"', many)}`))
  }
  const says = `"messages":[{"role":"user","content":"${escaped(31)}"}]`
  yield key('counted', '/v1/messages/count_tokens', named(testModel, says), version)
  yield key('converted count', '/v1/messages/count_tokens', named(geminiModel, says), version)
  const contents = `{"contents":[{"role":"user","parts":[{"text":"${escaped(31)}"}]}]}`
  yield key('gemini count', `/v1beta/models/${convertedModel}:countTokens`, contents)
}

/** Responses that are kept. */
export function* keptRequests(): Generator<HeavyRequest> {
  for (const model of [testModel, convertedModel]) {
    yield key(`kept, bytes, ${model}`, '/v1/responses', named(model, `"input":"${escaped(31)}"`))
    const item = '{"role":"user","content":[{"type":"input_text","text":"x"}]}'
    yield key(`kept, values, ${model}`, '/v1/responses', named(model, `"input":${list(item, 5_000)}`))
  }
}

/** What is asked of a response that is kept. */
export function* keptReads(id: string): Generator<HeavyRequest> {
  const again = `"previous_response_id":"${id}"`
  yield key('continued', '/v1/responses', named(testModel, `${again},"input":"and?"`))
  yield key('converted and continued', '/v1/responses', named(convertedModel, `${again},"input":"and?"`))
  for (const path of ['', '/input_items', '?stream=true']) {
    yield { name: `read${path}`, method: 'GET', path: `/v1/responses/${id}${path}`, as: 'key', body: '' }
  }
}

/** The console, by an administrator and by strangers. */
export function* consoleRequests(): Generator<HeavyRequest> {
  const nests = (times: number) => list(`${'['.repeat(20)}${']'.repeat(20)}`, times)
  const fields = (times: number) => `{${Array.from({ length: times }, (_, at) => `"k${at}":1`).join()}}`
  const bodies = {
    few: `{"name":"x","models":${list('"m"', 60_000)}}`,
    fewUnknown: fields(60_000),
    fewNested: `{"name":"x","models":${nests(3_000)}}`,
    strings: `{"name":"x","models":${list('"m"', 260_000)}}`,
    wrong: `{"name":"x","models":${list('1', 500_000)}}`,
    nested: `{"name":"x","models":${nests(25_000)}}`,
    unknown: fields(90_000),
    long: `{"name":"${'x'.repeat(1_000_000)}"}`,
    duplicates: `{"name":{${list('"a":1', 160_000).slice(1, -1)}}}`,
  }
  for (const [kind, body] of Object.entries(bodies)) {
    yield { name: `key, ${kind}`, path: '/api/keys', as: 'session', body }
    yield { name: `sign-in, ${kind}`, path: '/api/session', as: 'stranger', body }
    yield { name: `channel, ${kind}`, path: '/api/channels', as: 'session', body }
    yield { name: `settings, ${kind}`, method: 'PATCH', path: '/api/settings', as: 'session', body }
  }
  const spoken = `{"model":"${testModel}","messages":${list('{"role":"user","content":"x"}', 60_000)}}`
  yield { name: 'preview', path: '/pg/preview/gemini', as: 'session', body: spoken }
  yield {
    name: 'preview, bytes',
    path: '/pg/preview/gemini',
    as: 'session',
    body: named(testModel, `"messages":[{"role":"user","content":"${escaped(31)}"}]`),
  }
  yield { name: 'playground', path: '/pg/chat/completions', as: 'session', body: spoken }
}

/** Uploads. */
export function* uploads(): Generator<HeavyRequest> {
  const form = (parts: Record<string, string | Blob>) => {
    const made = new FormData()
    for (const [name, value] of Object.entries(parts)) made.append(name, value)
    return made
  }
  const sound = new Blob([Buffer.alloc(24 * mebibyte, '\r\n--')], { type: 'audio/wav' })
  yield key('transcription', '/v1/audio/transcriptions', form({ model: testModel, file: sound }))
  const zeros = new Blob([Buffer.alloc(24 * mebibyte)], { type: 'audio/mpeg' })
  yield key('mpeg of zeros', '/v1/audio/transcriptions', form({ model: testModel, file: zeros }))
  const ones = new Blob([Buffer.alloc(24 * mebibyte, 0xff)], { type: 'audio/mpeg' })
  yield key('mpeg of ones', '/v1/audio/transcriptions', form({ model: testModel, file: ones }))
  yield key('form of text', '/v1/images/edits', form({ model: testModel, prompt: long(7), image: sound }))
  const fields = Object.fromEntries(Array.from({ length: 990 }, (_, at) => [`k${at}`, 'x']))
  yield key('form of fields', '/v1/images/edits', form({ model: testModel, prompt: 'x', ...fields, image: sound }))
  yield key('image for gemini', '/v1/images/edits', form({ model: geminiModel, prompt: 'x', image: sound }))
}

/** Frames of a realtime session. */
export function* realtimeFrames(): Generator<{ name: string; frame: string; refused?: true }> {
  const say = (content: string) => `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":${content}}}`
  yield { name: 'sound', frame: `{"type":"input_audio_buffer.append","audio":"${long(15)}"}` }
  yield { name: 'text', frame: say(`[{"type":"input_text","text":"${escaped(15)}"}]`) }
  yield { name: 'parts', frame: say(list('{"type":"input_text","text":"x"}', 400_000)), refused: true }
  yield { name: 'numbers', frame: `{"type":"x","y":${list('1', 7_000_000)}}`, refused: true }
}
