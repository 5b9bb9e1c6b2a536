/** Every field of the SDKs' requests that may refer to something, and how Parley handles a value in it. */
import { GoogleGenAI } from '@google/genai'
import type { StateRef } from '#canonical/codec'
import { conversationCodecs } from '#protocols/index'
import { operationCodecs } from '#protocols/operations'
import { GatewayError } from '#shared/errors'
import { casesOf, type Guide } from './cases.ts'
import { operationGuides, operationTypes, ownOf, type WalkedOperation } from './operation-cells.ts'
import type { WireCase } from './request-cells.ts'
import { type Endpoint, requestGuides, requestTypes, sdkImports } from './requests.ts'
import { sdkTypes } from './sdk-types.ts'
import { dialectOf, googleWireCases, wireCases } from './wire.ts'

/** How a value is handled: it needs an owner, the request is refused, or it goes upstream unchanged. */
export type Outcome = 'owned' | 'refused' | 'passes'

/** Field names of ids, addresses and names of objects in an account. */
const naming =
  /(^|_)(ids?|key|name|names|ur[il]s?)$|(Ids?|Names?|Ur[il]s?)$|conversation|container|cache|store|corpus|engine|session|thread|profile|account|project|resource|skill|environment|agent|vault|memor|prompt$|^file|mount|server|connector|tuned|endpoint|deployment|location|region|org/i
/** Names chosen by callers: calls and results in the conversation, their own cache, their location. */
const own = new Set([
  ...['cache_control', 'prompt_cache_breakpoint', 'prompt_cache_options', 'prompt_cache_key', 'server_tool_results', 'tool_names'],
  ...['tool_use_id', 'tool_call_id', 'call_id', 'caller_id', 'tool_id', 'user_location', 'region', 'displayName', 'filename'],
])
/** Fields that every body needs. */
const transport = new Set([
  'model',
  'stream',
  'httpOptions',
  'abortSignal',
  'shouldReturnHttpResponse',
  'stream_options',
  'automaticFunctionCalling',
])

/** The name of the field that a path ends in. */
export const fieldOf = (path: string): string =>
  path
    .replace(/=.*$/, '')
    .replace(/\[[^\]]*\]/g, '')
    .split('.')
    .at(-1) ?? ''

/** Every field that may refer to something, as `dialect path`, and its handling: `passes` if any of its kind does. */
export async function namedFields(): Promise<Map<string, Outcome>> {
  const types = await sdkTypes(sdkImports, { ...requestTypes, ...operationTypes })
  const guides: Readonly<Record<string, Guide>> = { ...requestGuides, ...operationGuides }
  const fields = new Map<string, Outcome>()
  for (const [endpoint, shape] of Object.entries(types)) {
    const guide = guides[endpoint]
    if (!guide) throw new Error(`no guide for ${endpoint}`)
    const sample: Guide['sample'] = (name, path) => (/(ur[il]|Ur[il])$/.test(name) ? 'gs://foreign/one' : guide.sample(name, path))
    const cases = casesOf(shape, { ...guide, sample, skipped: transport }).filter(
      ({ path }) => !path.includes('=') && naming.test(fieldOf(path)) && !own.has(fieldOf(path)),
    )
    for (const one of await onTheWire(endpoint, cases)) {
      const place = placeOf(endpoint, one.path)
      const outcome = outcomeOf(endpoint, one)
      if (fields.get(place) !== 'passes') fields.set(place, outcome)
    }
  }
  return fields
}

/** Message roles, and beta types, do not make separate paths. */
const placeOf = (endpoint: string, path: string) =>
  `${endpoint.split(' ')[0]} ${path.replace(/\[(?:assistant|user|system|developer|tool)\]/g, '[]')}`

async function onTheWire(endpoint: string, cases: ReturnType<typeof casesOf>): Promise<WireCase[]> {
  const wire = Object.hasOwn(operationTypes, endpoint)
    ? cases.map(({ body, base, ...rest }) => ({ ...rest, body: JSON.stringify(body), base: JSON.stringify(base) }))
    : dialectOf(endpoint as Endpoint) === 'gemini'
      ? await googleWireCases(cases, GoogleGenAI)
      : wireCases(endpoint as Endpoint, cases)
  return wire.filter(({ body, base }) => body !== base)
}

function outcomeOf(endpoint: string, { body, base }: WireCase): Outcome {
  const [with_, without] = [refsOf(endpoint, body), refsOf(endpoint, base)]
  if (with_ === 'refused') return 'refused'
  const known = new Set(without === 'refused' ? [] : without.map(({ kind, id }) => `${kind} ${id}`))
  return with_.some(({ kind, id }) => !known.has(`${kind} ${id}`)) ? 'owned' : 'passes'
}

function refsOf(endpoint: string, body: string): readonly StateRef[] | 'refused' {
  try {
    if (!Object.hasOwn(operationTypes, endpoint))
      return conversationCodecs[dialectOf(endpoint as Endpoint)].readHead(body, 'm:generateContent').stateRefs ?? []
    const codec = operationCodecs[endpoint as WalkedOperation][ownOf(endpoint as WalkedOperation)]
    if (!codec || !('readHead' in codec)) throw new Error(`no endpoint for ${endpoint}`)
    return codec.readHead(body).stateRefs ?? []
  } catch (thrown) {
    if (thrown instanceof GatewayError) return 'refused'
    throw thrown
  }
}
