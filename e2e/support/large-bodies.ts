/** The worst bodies that are known: each is the most work for its kind, at the endpoint where it is most. */
import { testModel } from './gateway.ts'

/** A model whose only channel uses Messages. */
export const convertedModel = 'claude-test'

export interface LargeBody {
  name: string
  path: string
  headers?: Record<string, string>
  /** What it is answered with. */
  status: number
  json(): string
}

const mega = 1_000_000
const messages = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, at) => ({ role: at % 2 ? 'assistant' : 'user', content: `${at}` })))
const says = (text: string) => `"messages":[{"role":"user","content":"${text}"}]`
const version = { 'anthropic-version': '2023-06-01' }
const named = (model: string, rest: string) => `{"model":"${model}",${rest}}`
const list = (item: string, times: number) => `${`${item},`.repeat(times - 1)}${item}`

/** Made when they are asked for: some have tens of megabytes. */
export const largeBodies = (): LargeBody[] => [
  { name: 'many strings', path: '/v1/embeddings', status: 413, json: () => named(testModel, `"input":[${list('"x"', 7 * mega)}]`) },
  { name: 'many messages', path: '/v1/chat/completions', status: 413, json: () => named(testModel, `"messages":${messages(600_000)}`) },
  { name: 'escapes', path: '/v1/chat/completions', status: 200, json: () => named(testModel, says('\\n'.repeat(14 * mega))) },
  {
    name: 'converted escapes',
    path: '/v1/chat/completions',
    status: 200,
    json: () => named(convertedModel, says('\\n'.repeat(4 * mega))),
  },
  {
    name: 'converted messages',
    path: '/v1/chat/completions',
    status: 200,
    json: () => named(convertedModel, `"messages":${messages(40_000)}`),
  },
  {
    name: 'many names',
    path: '/v1/chat/completions',
    status: 200,
    json: () => named(testModel, `${says('x')},"metadata":{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join()}}`),
  },
  {
    name: 'many objects',
    path: '/v1/messages',
    headers: version,
    status: 200,
    json: () =>
      named(convertedModel, `"max_tokens":9,${says('x')},"tools":[${list('{"name":"f","input_schema":{"type":"object"}}', 25_000)}]`),
  },
  { name: 'many numbers', path: '/v1/embeddings', status: 200, json: () => named(testModel, `"input":[${list('1', 2 * mega)}]`) },
  { name: 'kept', path: '/v1/responses', status: 200, json: () => named(testModel, `"input":${messages(20_000)}`) },
  {
    name: 'not kept',
    path: '/v1/responses',
    status: 200,
    json: () => named(testModel, `"store":false,"input":"${'漢'.repeat(9 * mega)}"`),
  },
  {
    name: 'counted',
    path: '/v1/messages/count_tokens',
    headers: version,
    status: 200,
    json: () => named(testModel, says('\\u0041'.repeat(4 * mega))),
  },
  { name: 'preview', path: '/pg/preview/messages', status: 413, json: () => named(testModel, `"messages":${messages(mega / 2)}`) },
  { name: 'smaller preview', path: '/pg/preview/gemini', status: 200, json: () => named(testModel, `"messages":${messages(40_000)}`) },
]
