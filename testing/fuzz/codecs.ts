/**
 * What must hold for any body at any codec: it is read, or refused with a client error; whatever is read can be edited and written for
 * every other dialect or refused; and whatever passes is unambiguous.
 */
import { conversationCodecs } from '#protocols/index'
import { GatewayError } from '#shared/errors'
import { type Dialect, dialects } from '#shared/ids'
import { bodyFor } from '#testing/conversions/throughput'
import { seeded } from '#testing/seeded'
import { jsonReaders } from '#testing/upstream/json-readers'
import { mutated } from './mutate.ts'

/** A body that is sent to the codec of a dialect. */
export interface FuzzCase {
  dialect: Dialect
  body: string
}

const path = 'asked:generateContent'

/** Small bodies, so that a change is likely to hit something relevant. */
const samples = new Map(dialects.map((dialect) => [dialect, JSON.stringify(shortened(bodyFor(dialect)))]))

function shortened(body: unknown): unknown {
  if (Array.isArray(body)) return body.slice(-4).map(shortened)
  if (typeof body === 'string') return body.slice(0, 40)
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, shortened(value)]))
}

/** The case with this seed. */
export function fuzzCase(seed: number): FuzzCase {
  const random = seeded(seed)
  const [first, ...others] = dialects
  const dialect = random.pick([first, ...others])
  return { dialect, body: mutated(samples.get(dialect) ?? '{}', random) }
}

/** The fault in handling this body; undefined if there is none. */
export function faultOf({ dialect, body }: FuzzCase): string | undefined {
  const codec = conversationCodecs[dialect]
  try {
    const scanned = codec.scan(body)
    const head = codec.readHead(scanned, path)
    if (dialect !== 'gemini') {
      const read = Object.entries(jsonReaders).filter(([, reader]) => reader(body, ['model']) !== head.model)
      if (read.length > 0) return `${read.map(([name]) => name).join(', ')} read another model`
    }
    const edited = codec.editRequest(body, { model: 'upstream', set: { user: 'x' }, remove: ['models'] })
    JSON.parse(edited)
    const request = codec.readRequest(scanned, path)
    for (const upstream of dialects) write(upstream, request)
    return undefined
  } catch (thrown) {
    return refusalOrFault(thrown)
  }
}

function write(upstream: Dialect, request: Parameters<(typeof conversationCodecs)['chat']['writeRequest']>[0]): void {
  try {
    JSON.stringify(conversationCodecs[upstream].writeRequest(request, { model: 'm', stream: false, capabilities: {} }).body)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
  }
}

function refusalOrFault(thrown: unknown): string | undefined {
  if (thrown instanceof GatewayError) return thrown.blame === 'client' ? undefined : `refused as ${thrown.code}`
  return `threw ${thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)}`
}
