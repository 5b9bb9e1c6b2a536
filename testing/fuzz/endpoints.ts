/**
 * What must hold for any request at any address of a running Parley: it is answered, in time, never with an internal error, with its id,
 * and an error has the format of its endpoint. Routes and samples of bodies come from the API document that the program serves.
 */
import { isObject } from '#shared/json'
import { type Seeded, seeded } from '#testing/seeded'
import { mutated } from './mutate.ts'

/** One request. */
export interface EndpointCase {
  method: string
  /** With the query. */
  path: string
  headers: Record<string, string>
  body?: string
}

/** The caller: header fields of a key, of sessions, or none. */
export type Identities = Readonly<Record<string, Record<string, string>>>

/** One address of the document. */
export interface Endpoint {
  method: string
  path: string
  /** A body that fits its schema, as JSON; absent if it takes none. */
  sample?: string
}

type Json = Record<string, unknown>
const methods = ['get', 'post', 'put', 'patch', 'delete']
/** Those that would wait forever, or end the session that the others need. */
const left = new Set([
  'GET /api/events',
  'DELETE /api/session',
  'PATCH /api/session/password',
  'DELETE /api/sessions',
  'DELETE /api/sessions/{id}',
])

/** The endpoints in the text of `/openapi.json`. */
export function endpointsOf(document: string): Endpoint[] {
  const root = JSON.parse(document) as { paths: Record<string, Json>; components?: Json }
  return Object.entries(root.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]): Endpoint[] => {
      const name = `${method.toUpperCase()} ${path}`
      if (!methods.includes(method) || left.has(name) || !isObject(operation)) return []
      const schema = at(operation, 'requestBody', 'content', 'application/json', 'schema')
      const sample = schema === undefined ? {} : { sample: JSON.stringify(sampleOf(schema, root, 0)) }
      return [{ method: method.toUpperCase(), path, ...sample }]
    }),
  )
}

const at = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>((inside, name) => (isObject(inside) ? inside[name] : undefined), value)

/** The smallest value of this schema: every field once, shallow. */
function sampleOf(schema: unknown, root: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > 6) return null
  if (typeof schema.$ref === 'string') return sampleOf(at(root, ...schema.$ref.slice(2).split('/')), root, depth + 1)
  if ('const' in schema) return schema.const
  const choice = [schema.anyOf, schema.oneOf, schema.allOf, schema.enum].find(Array.isArray)
  if (choice) return schema.enum === choice ? choice[0] : sampleOf(choice[0], root, depth + 1)
  if (schema.type === 'array') return [sampleOf(schema.items, root, depth + 1)]
  if (schema.type === 'object' || isObject(schema.properties)) {
    const fields = Object.entries(isObject(schema.properties) ? schema.properties : {})
    return Object.fromEntries(fields.map(([name, field]) => [name, name === 'model' ? 'parley-demo' : sampleOf(field, root, depth + 1)]))
  }
  return { string: 'x', integer: 1, number: 1, boolean: true }[String(schema.type)] ?? 'x'
}

const values = [
  'x',
  '1',
  '-1',
  '9'.repeat(40),
  '%00',
  '%2e%2e%2f',
  "'%20OR%201=1--",
  '%F0%9F%A6%8A',
  'a'.repeat(300),
  '__proto__',
  '%',
  '',
] as const
const types = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/vnd.x+json',
  '',
] as const
const oddHeaders: readonly [string, string][] = [
  ['x-parley-strict', 'true'],
  ['anthropic-version', '2023-06-01'],
  ['anthropic-version', 'x'],
  ['content-encoding', 'gzip'],
  ['idempotency-key', 'x'.repeat(300)],
  ['x-forwarded-for', '1.2.3.4, ::1'],
  ['origin', 'https://elsewhere.example'],
  ['accept', 'text/event-stream'],
  ['x-goog-api-key', 'sk-other'],
  ['last-event-id', '-1'],
]

/** The case with this seed. */
export function endpointCase(seed: number, endpoints: readonly [Endpoint, ...Endpoint[]], identities: Identities): EndpointCase {
  const random = seeded(seed)
  const endpoint = random.pick(endpoints)
  const path = endpoint.path.replace(/\{[^}]+\}/g, () => random.pick(values)) + queryOf(random)
  const method = random.below(12) === 0 ? random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) : endpoint.method
  const fitting = /^\/(?:api|pg)\//.test(endpoint.path) ? random.pick(['admin', 'admin', 'user']) : 'key'
  const who = identities[random.below(8) === 0 ? random.pick(['key', 'admin', 'user', 'nobody']) : fitting] ?? {}
  const [name, value] = random.pick(oddHeaders as [[string, string]])
  const headers = { ...who, ...(random.below(3) === 0 && { [name]: value }) }
  if (method === 'GET' || (endpoint.sample === undefined && random.below(2) === 0)) return { method, path, headers }
  const body = random.below(6) === 0 ? (endpoint.sample ?? '{}') : mutated(endpoint.sample ?? '{"model":"parley-demo"}', random)
  return { method, path, headers: { ...headers, 'content-type': random.below(4) === 0 ? random.pick(types) : 'application/json' }, body }
}

function queryOf(random: Seeded): string {
  if (random.below(3) > 0) return ''
  const name = random.pick(['limit', 'after', 'q', 'from', 'to', 'group', 'model', 'stream', 'key', 'x'])
  return `?${name}=${random.pick(values)}${random.below(4) === 0 ? `&${name}=2` : ''}`
}

const patience = 20_000
/** Statuses of 500 and above that are not internal errors: no channel, an upstream, unsupported by the demo, and full queues. */
const others = new Set([501, 502, 503, 504, 529])

/** The fault in answering this request; undefined if there is none. */
export async function endpointFault(url: string, { method, path, headers, body }: EndpointCase): Promise<string | undefined> {
  let answer: Response
  let text: string
  try {
    answer = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    })
    text = await answer.text()
  } catch (thrown) {
    return `no answer: ${thrown instanceof Error ? thrown.message : String(thrown)}`
  }
  if (answer.status >= 500 && !others.has(answer.status)) return `${answer.status} ${text.slice(0, 300)}`
  if (!answer.headers.has('x-request-id')) return `${answer.status} without an id`
  if (answer.status < 400 || method === 'HEAD') return undefined
  return isErrorAt(path, text) ? undefined : `${answer.status} is no error of any endpoint: ${text.slice(0, 300)}`
}

/** Ollama's clients get a string, Bedrock's a message, all others an object. */
function isErrorAt(path: string, text: string): boolean {
  try {
    const { error, message }: { error?: string | { message?: unknown }; message?: unknown } = JSON.parse(text)
    if (path.startsWith('/ollama/')) return typeof error === 'string'
    if (path.startsWith('/model/')) return typeof message === 'string'
    return typeof error === 'object' && typeof error.message === 'string'
  } catch {
    return false
  }
}
