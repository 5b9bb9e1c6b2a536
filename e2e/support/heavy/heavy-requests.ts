/** For each endpoint, the heaviest request that it accepts, in bytes and in values. */

import { testModel } from '../gateway.ts'
import { convertedModel } from '../large-bodies.ts'

/** A model whose only channel uses Gemini's formats, whatever the operation. */
export const geminiModel = 'gemini-test'
/** Models of the same channel for embeddings, images and speech. */
export const embeddingModel = 'gemini-embedding-001'
export const paintingModel = 'gemini-2.5-flash-image'
export const speakingModel = 'gemini-2.5-flash-preview-tts'
/** A model whose only channel uses Cohere's rerank format. */
export const cohereModel = 'cohere-test'
/** Models whose only channel is signed: one is asked with Messages, the other with Converse. */
export const signedModel = 'anthropic.claude-test-v1:0'
export const conversingModel = 'us.amazon.nova-lite-v1:0'

/** One request. */
export interface HeavyRequest {
  name: string
  method?: string
  path: string
  /** A cookie of the administrator, a key of models, or nothing. */
  as: 'session' | 'key' | 'stranger'
  headers?: Record<string, string>
  body: string | FormData
  /** The expected answer; absent: anything but an internal error. */
  status?: number
}

const mebibyte = 1024 * 1024
const list = (item: string, times: number) => `[${`${item},`.repeat(times - 1)}${item}]`
const long = (megabytes: number) => 'x'.repeat(megabytes * mebibyte)
const escaped = (megabytes: number) => '\\n'.repeat((megabytes * mebibyte) / 2)
const named = (model: string, rest: string) => `{"model":"${model}",${rest}}`
/** Just below the limit of values. */
const many = 230_000
const version = { 'anthropic-version': '2023-06-01' }

const key = (name: string, path: string, body: string | FormData, headers: Record<string, string> = {}): HeavyRequest => ({
  ...{ name, path, body, headers },
  as: 'key',
})

/** A request as it is sent, created when it is its turn: some have tens of megabytes. */
export type Making = () => HeavyRequest

const served =
  (name: string, path: string, body: () => string, headers: Record<string, string> = {}): Making =>
  () => ({ ...key(name, path, body(), headers), status: 200 })
const refused =
  (name: string, path: string, body: () => string): Making =>
  () => ({ ...key(name, path, body()), status: 400 })

/** Every operation but generation that is neither kept nor continued, which `large-bodies.ts` has. */
export function operationRequests(): Making[] {
  const asked: Making[] = []
  const image = () => `{"image_url":"data:image/png;base64,${long(7)}"}`
  for (const [kind, model, painter] of [
    ['native', testModel, testModel],
    ['converted', embeddingModel, paintingModel],
  ] as const) {
    const inputs = () => list(`"${'x'.repeat(15_000)}"`, 2_048)
    asked.push(
      served(`${kind} embedding`, '/v1/embeddings', () => named(model, `"input":"${escaped(31)}"`)),
      served(`${kind} embeddings`, '/v1/embeddings', () => named(model, `"input":${inputs()}`)),
      refused(`${kind} embeddings, values`, '/v1/embeddings', () => named(model, `"input":${list('"x"', many)}`)),
      served(`${kind} images`, '/v1/images/generations', () => named(painter, `"prompt":"${long(31)}"`)),
      served(`${kind} image edits`, '/v1/images/edits', () => named(painter, `"prompt":"x","images":${list(image(), 4)}`)),
    )
  }
  for (const [kind, model] of [
    ['native', testModel],
    ['converted', cohereModel],
  ] as const) {
    const documents = () => `["${long(15)}","${escaped(15)}"]`
    const back = '"query":"x","return_documents":true'
    asked.push(
      served(`${kind} rerank, bytes`, '/v1/rerank', () => named(model, `"query":"x","documents":${documents()}`)),
      served(`${kind} rerank, given back`, '/v1/rerank', () => named(model, `${back},"documents":${documents()}`)),
      served(`${kind} rerank, values`, '/v1/rerank', () => named(model, `${back},"documents":${list('{"text":"x","a":1}', 10_000)}`)),
    )
  }
  const says = () => `"messages":[{"role":"user","content":"${escaped(31)}"}]`
  asked.push(
    served('speech', '/v1/audio/speech', () => named(testModel, `"voice":"alloy","input":"${long(31)}"`)),
    served('converted speech', '/v1/audio/speech', () =>
      named(speakingModel, `"voice":"alloy","response_format":"pcm","input":"x${escaped(30)}"`),
    ),
    served('moderation', '/v1/moderations', () => named(testModel, `"input":"${escaped(31)}"`)),
    served('moderations', '/v1/moderations', () => named(testModel, `"input":${list('"x"', many)}`)),
    served('counted', '/v1/messages/count_tokens', () => named(testModel, says()), version),
    served('converted count', '/v1/messages/count_tokens', () => named(geminiModel, says()), version),
    served(
      'gemini count',
      `/v1beta/models/${convertedModel}:countTokens`,
      () => `{"contents":[{"role":"user","parts":[{"text":"${escaped(31)}"}]}]}`,
    ),
  )
  return asked
}

/** Conversations that Parley compacts, and those that are signed or changed for a cloud. */
export function reworkedRequests(): Making[] {
  const says = () => `"messages":[{"role":"user","content":"${escaped(31)}"}]`
  const turns = () => list('{"role":"user","content":"x"}', 15_000)
  const compact = '/v1/responses/compact'
  const trigger = '{"type":"compaction_trigger"}'
  return [
    served('compacted, bytes', compact, () => named(convertedModel, `"input":"${escaped(31)}"`)),
    served('compacted, values', compact, () => named(convertedModel, `"input":${turns()}`)),
    served('compacted in a conversation', '/v1/responses', () =>
      named(convertedModel, `"store":false,"input":[{"role":"user","content":"${escaped(31)}"},${trigger}]`),
    ),
    served('signed', '/v1/messages', () => named(signedModel, `"max_tokens":9,${says()}`), version),
    served('signed and converted', '/v1/chat/completions', () => named(signedModel, says())),
    served('signed Converse', '/v1/chat/completions', () => named(conversingModel, says())),
    served('signed Converse, values', '/v1/chat/completions', () => named(conversingModel, `"messages":${turns()}`)),
  ]
}

/** Responses that are kept. */
export function keptRequests(): Making[] {
  const item = '{"role":"user","content":[{"type":"input_text","text":"x"}]}'
  return [testModel, convertedModel].flatMap((model) => [
    served(`kept, bytes, ${model}`, '/v1/responses', () => named(model, `"input":"${escaped(31)}"`)),
    served(`kept, values, ${model}`, '/v1/responses', () => named(model, `"input":${list(item, 5_000)}`)),
  ])
}

/** Calls on a stored response. */
export function keptReads(id: string): Making[] {
  const again = `"previous_response_id":"${id}"`
  const read = (path: string) => () => ({
    name: `read${path}`,
    method: 'GET',
    path: `/v1/responses/${id}${path}`,
    as: 'key' as const,
    body: '',
  })
  return [
    served('continued', '/v1/responses', () => named(testModel, `${again},"input":"and?"`)),
    served('converted and continued', '/v1/responses', () => named(convertedModel, `${again},"input":"and?"`)),
    ...['', '/input_items', '?stream=true'].map(read),
  ]
}

/** The console, by an administrator and by strangers. */
export function consoleRequests(): Making[] {
  const nests = (times: number) => list(`${'['.repeat(20)}${']'.repeat(20)}`, times)
  const fields = (times: number) => `{${Array.from({ length: times }, (_, at) => `"k${at}":1`).join()}}`
  const bodies = {
    few: () => `{"name":"x","models":${list('"m"', 60_000)}}`,
    fewUnknown: () => fields(60_000),
    fewNested: () => `{"name":"x","models":${nests(3_000)}}`,
    strings: () => `{"name":"x","models":${list('"m"', 260_000)}}`,
    wrong: () => `{"name":"x","models":${list('1', 500_000)}}`,
    nested: () => `{"name":"x","models":${nests(25_000)}}`,
    unknown: () => fields(90_000),
    long: () => `{"name":"${'x'.repeat(1_000_000)}"}`,
    duplicates: () => `{"name":{${list('"a":1', 160_000).slice(1, -1)}}}`,
  }
  const endpoints = { key: '/api/keys', 'sign-in': '/api/session', channel: '/api/channels', settings: '/api/settings' }
  const asked = Object.entries(bodies).flatMap(([kind, body]) =>
    Object.entries(endpoints).map(([endpoint, path]): Making => {
      const as = endpoint === 'sign-in' ? ('stranger' as const) : ('session' as const)
      return () => ({ name: `${endpoint}, ${kind}`, path, as, body: body(), ...(endpoint === 'settings' && { method: 'PATCH' }) })
    }),
  )
  const spoken = () => `{"model":"${testModel}","messages":${list('{"role":"user","content":"x"}', 60_000)}}`
  const bytes = () => named(testModel, `"messages":[{"role":"user","content":"${escaped(31)}"}]`)
  return [
    ...asked,
    () => ({ name: 'preview', path: '/pg/preview/gemini', as: 'session', body: spoken() }),
    () => ({ name: 'preview, bytes', path: '/pg/preview/gemini', as: 'session', body: bytes() }),
    () => ({ name: 'playground', path: '/pg/chat/completions', as: 'session', body: spoken() }),
  ]
}

/** Uploads. */
export function uploads(): Making[] {
  const form = (name: string, path: string, parts: () => Record<string, string | Blob>): Making => {
    return () => {
      const made = new FormData()
      for (const [field, value] of Object.entries(parts())) made.append(field, value)
      return { ...key(name, path, made), status: 200 }
    }
  }
  const filled = (type: string, filling: string | number) => new Blob([Buffer.alloc(24 * mebibyte, filling)], { type })
  const sound = () => filled('audio/wav', '\r\n--')
  const fields = Object.fromEntries(Array.from({ length: 990 }, (_, at) => [`k${at}`, 'x']))
  return [
    form('transcription', '/v1/audio/transcriptions', () => ({ model: testModel, file: sound() })),
    form('mpeg of zeros', '/v1/audio/transcriptions', () => ({ model: testModel, file: filled('audio/mpeg', 0) })),
    form('mpeg of ones', '/v1/audio/transcriptions', () => ({ model: testModel, file: filled('audio/mpeg', 0xff) })),
    form('form of text', '/v1/images/edits', () => ({ model: testModel, prompt: long(7), image: sound() })),
    form('form of fields', '/v1/images/edits', () => ({ model: testModel, prompt: 'x', ...fields, image: sound() })),
  ]
}

/** Frames of a realtime session. */
export function realtimeFrames(): (() => { name: string; frame: string; refused?: true })[] {
  const say = (content: string) => `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":${content}}}`
  return [
    () => ({ name: 'sound', frame: `{"type":"input_audio_buffer.append","audio":"${long(15)}"}` }),
    () => ({ name: 'text', frame: say(`[{"type":"input_text","text":"${escaped(15)}"}]`) }),
    () => ({ name: 'parts', frame: say(list('{"type":"input_text","text":"x"}', 400_000)), refused: true }),
    () => ({ name: 'numbers', frame: `{"type":"x","y":${list('1', 7_000_000)}}`, refused: true }),
  ]
}
