/** The part that Parley reads of an interaction that an upstream itself answers and stores; everything else passes unseen. */
import type { RequestBody, ScannedBody, StateRef } from '#canonical/codec'
import type { NonTextContent } from '#canonical/non-text-content'
import type { InteractionHead } from '#canonical/operation/interaction'
import { bodyNames } from '#protocols/codec/body-names'
import { invalidField, missingField, readBody } from '#protocols/codec/fields'
import { addAddress } from '#protocols/codec/file-address'
import { addRef, addStateRefs, bring, noContent, nonTextOf, scanned, uniqueRefs } from '#protocols/codec/head'
import { geminiUnpriced } from '#protocols/codec/unpriced'
import { isObject, type JsonObject } from '#shared/json'
import { type InteractionConfig, InteractionRequest } from '#shared/protocols/gemini/interactions'
import { scanObject } from '#wire/json-scan'
import { listOf } from '../steps.ts'

const names = bodyNames(
  'interactions',
  [InteractionRequest],
  'agent_config environment environment_id cached_content continuation_token webhook_config file_search_store_names datastores engine',
)

/** Scans a body. Throws GatewayError unless the text is an unambiguous JSON object. */
export const scan = (text: string): ScannedBody => scanObject(text, names)

/** The field that names the model or the agent. */
export const namedIn = (body: JsonObject): 'model' | 'agent' => (typeof body.agent === 'string' ? 'agent' : 'model')

/** Throws GatewayError 400 with the field's path as `param`; unknown fields and kinds pass. */
export function readHead(given: RequestBody): InteractionHead {
  const { text, value } = scanned(given, scan)
  const { fields } = readBody<InteractionRequest>(value)
  const by = namedIn(value)
  const model = fields.needText(by).replace(/^(?:models|agents)\//, '')
  const previous = fields.text('previous_interaction_id')
  if (value.input === undefined && previous === undefined) throw missingField('input')
  const isStored = fields.flag('store') !== false
  const isStream = fields.flag('stream') === true
  const isBackground = fields.flag('background') === true
  if (isBackground && !isStored) throw unkept()
  const maxOutput = fields.object('generation_config')?.as<InteractionConfig>().integer('max_output_tokens', 1)
  const tools = listOf(value.tools)
  const { media, nonText } = mediaIn(value.input)
  const isOpen =
    previous !== undefined || by === 'agent' || tools.some(({ type }) => type !== 'function') || value.cached_content !== undefined
  return {
    model,
    stream: isStream && !isBackground,
    n: 1,
    ...(maxOutput !== undefined && by === 'model' && { maxOutput }),
    inputBytes: Buffer.byteLength(text),
    // Every interaction reports its usage.
    usageAsked: true,
    media: [...media],
    ...nonTextOf({ ...nonText, ...modalitiesIn(value), ...(isOpen && { unseen: true }) }),
    searchAsked: tools.some(({ type }) => type === 'google_search'),
    affinity: previous === undefined ? [] : [previous],
    stateRefs: stateIn(value, previous, tools),
    ...(isStored && { keepsAnswer: true }),
    ...unpricedIn(value),
    ...(isBackground && { background: isStream ? 'streamed' : 'quiet' }),
  }
}

/** An interaction in the background is read later, so it must be stored. */
export const unkept = () => invalidField('store', 'true, or absent, for an interaction in the background, which is read later')

/** A tier that costs more, under the name that it has here. */
function unpricedIn({ service_tier: tier }: JsonObject): Pick<InteractionHead, 'unpriced'> {
  const { unpriced } = geminiUnpriced(tier)
  return unpriced ? { unpriced: unpriced.map((one) => ({ ...one, field: 'service_tier' })) } : {}
}

function modalitiesIn({ response_modalities: kinds, response_format: format }: JsonObject): Pick<NonTextContent, 'modalities'> {
  const named = Array.isArray(kinds) ? kinds.filter((kind) => typeof kind === 'string') : []
  const formats = (Array.isArray(format) ? listOf(format) : isObject(format) ? [format] : []).map(({ type }) => String(type))
  const all = [...named, ...formats.filter((kind) => ['image', 'audio', 'video'].includes(kind))].map((kind) => kind.toLowerCase())
  return all.length > 0 ? { modalities: all } : {}
}

const kindOf: Readonly<Record<string, string>> = { image: 'image', audio: 'audio', document: 'file', video: 'other' }

/** Every piece of media: of contents, of steps, and of the results of functions. */
function mediaIn(input: unknown): { media: Set<string>; nonText: NonTextContent } {
  const media = new Set<string>()
  const nonText = noContent()
  for (const piece of piecesIn(input)) {
    const kind = kindOf[String(piece.type)]
    if (kind === undefined) continue
    media.add(kind)
    bring(nonText, kind, piece)
  }
  return { media, nonText }
}

const piecesIn = (input: unknown): JsonObject[] =>
  (isObject(input) ? [input] : listOf(input)).flatMap((step) => [step, ...listOf(step.content), ...listOf(step.result)])

function stateIn(body: JsonObject, previous: string | undefined, tools: readonly JsonObject[]): StateRef[] {
  const refs: StateRef[] = previous === undefined ? [] : [{ kind: 'interaction', id: previous }]
  addRef('cached-content', body.cached_content, refs)
  const place = isObject(body.environment) ? body.environment.environment_id : body.environment
  if (place !== 'remote') addRef('environment', place, refs)
  for (const tool of tools) {
    if (tool.type !== 'function') addStateRefs(tool, refs)
    const search = isObject(tool.vertex_ai_search_config) ? tool.vertex_ai_search_config : {}
    for (const id of [search.engine, ...(Array.isArray(search.datastores) ? search.datastores : [])]) addRef('data-store', id, refs)
  }
  for (const { uri } of piecesIn(body.input)) if (typeof uri === 'string') addAddress(uri, refs)
  return uniqueRefs(refs)
}
