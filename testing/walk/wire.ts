/** Cases of types as bodies on the wire: the required context, and the SDK's conversion of its parameters. */
import type { GoogleGenAI } from '@google/genai'
import type { Dialect } from '#shared/ids'
import type { Case } from './cases.ts'
import type { WireCase } from './request-cells.ts'
import type { Endpoint } from './requests.ts'

type Body = Record<string, unknown>
type Item = Record<string, unknown>

/** The dialect of an endpoint. */
export const dialectOf = (endpoint: Endpoint): Dialect => endpoint.split(' ')[0] as Dialect

const list = (value: unknown): Item[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [])

/** A conversation in which each result follows its call; the case is otherwise unchanged. */
function completed(dialect: Dialect, body: Body): Body {
  switch (dialect) {
    case 'chat':
      return { ...body, messages: list(body.messages).flatMap((message) => [...chatCalls(message), message]) }
    case 'responses':
      return Array.isArray(body.input) ? { ...body, input: list(body.input).flatMap((item) => [...itemCalls(item), item]) } : body
    case 'messages':
      return { ...body, messages: list(body.messages).flatMap((message) => [...blockCalls(message), message]) }
    default:
      return body
  }
}

function chatCalls({ role, tool_call_id: id }: Item): Item[] {
  const called = { name: 'look', arguments: '{}' }
  if (role === 'function') return [{ role: 'assistant', content: null, function_call: called }]
  if (role !== 'tool') return []
  return [{ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] }]
}

function itemCalls({ type, call_id }: Item): Item[] {
  if (type === 'function_call_output') return [{ type: 'function_call', call_id, name: 'look', arguments: '{}' }]
  if (type === 'custom_tool_call_output') return [{ type: 'custom_tool_call', call_id, name: 'look', input: 'x' }]
  return []
}

function blockCalls({ role, content }: Item): Item[] {
  if (role !== 'user') return []
  const ids = list(content).flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
  if (ids.length === 0) return []
  return [{ role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })) }]
}

/** The bodies of cases whose parameters are the body. */
export function wireCases(endpoint: Endpoint, cases: readonly Case[]): WireCase[] {
  const text = (body: unknown) => JSON.stringify(completed(dialectOf(endpoint), body as Body))
  return cases.map(({ body, base, ...rest }) => ({ ...rest, body: text(body), base: text(base) }))
}

/** Cases of the Google SDK, as the SDK itself sends them, without those that it refuses. */
export async function googleWireCases(cases: readonly Case[], client: typeof GoogleGenAI): Promise<WireCase[]> {
  let received = ''
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      received = await request.text()
      return Response.json({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] })
    },
  })
  const google = new client({ apiKey: 'walk', httpOptions: { baseUrl: server.url.href } })
  const sent = async (body: unknown): Promise<string> => {
    await google.models.generateContent(body as Parameters<typeof google.models.generateContent>[0])
    return withCalls(received)
  }
  const wire: WireCase[] = []
  try {
    for (const { body, base, ...rest } of cases) {
      try {
        wire.push({ ...rest, body: await sent(body), base: await sent(base) })
      } catch (thrown) {
        // Only in the enterprise service.
        if (!(thrown instanceof Error)) throw thrown
      }
    }
  } finally {
    await server.stop(true)
  }
  return wire
}

/** Each result of a tool follows its call. */
function withCalls(raw: string): string {
  const body = JSON.parse(raw)
  const contents = list(body.contents).flatMap((content) => {
    const results = list(content.parts).flatMap(({ functionResponse }) => (functionResponse ? [functionResponse as Item] : []))
    if (results.length === 0) return [content]
    const calls = results.map(({ id, name }) => ({ functionCall: { ...(id !== undefined && { id }), name: name ?? 'look', args: {} } }))
    return [{ role: 'model', parts: calls }, content]
  })
  return JSON.stringify({ ...body, contents })
}
