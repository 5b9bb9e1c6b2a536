/** What Parley itself reads and changes of a Responses request that passes; everything else passes unseen. */

import type { Head, RequestBody, RequestEdits, ScannedBody, StateRef } from '#canonical/codec'
import type { NonTextContent } from '#canonical/non-text-content'
import { bodyNames } from '#protocols/codec/body-names'
import { addKeptAddresses } from '#protocols/codec/file-address'
import { addStateRefs, bring, noContent, nonTextOf, scanned, standInsOf } from '#protocols/codec/head'
import { responsesUnpriced } from '#protocols/codec/unpriced'
import { isObject } from '#shared/json'
import { ResponsesRequest } from '#shared/protocols/openai/responses'
import { scanObject } from '#wire/json-scan'
import { editFields } from '../edit.ts'
import { type Body, isAbsent, missing, readCount, readFlag, readModel, wrong } from '../fields.ts'
import { isCompactionTrigger, sealedIn } from './compaction.ts'

const names = bodyNames('openai', [ResponsesRequest])
/** Scans a body. Throws GatewayError unless the text is an unambiguous JSON object. */
export const scan = (text: string): ScannedBody => scanObject(text, names)

/** Throws GatewayError 400 with the field's name as `param`; unknown fields and kinds pass. */
export function readHead(given: RequestBody): Head {
  const { text: raw, value: body } = scanned(given, scan)
  const items = readInput(body)
  const contents = items.flatMap(contentOf)
  const { media, nonText } = mediaIn(contents)
  const refs = stateRefs(body, items, contents)
  const sealed = items.flatMap(sealedIn)
  const head: Head = {
    model: readModel(body.model),
    stream: readFlag(body, 'stream') ?? false,
    n: 1,
    inputBytes: Buffer.byteLength(raw),
    // The last event of every stream carries usage.
    usageAsked: true,
    media: [...media],
    searchAsked: Array.isArray(body.tools) && body.tools.some(isSearch),
    affinity: affinityOf(body),
    ...standInsOf(body),
    ...((body.service_tier ?? body.tools) !== undefined && responsesUnpriced(body)),
    stateRefs: refs,
    ...nonTextOf({ ...nonText, ...hostedIn(body), ...((refs.length > 0 || sealed.length > 0) && { unseen: true }) }),
    ...(isCompactionTrigger(items.at(-1)) && { compacts: true }),
  }
  if (sealed.length > 0) head.sealed = sealed
  const maxOutput = readCount(body, 'max_output_tokens')
  if (maxOutput !== undefined) head.maxOutput = maxOutput
  return head
}

/** Without input, something else must define what to answer. */
function readInput(body: Body): Body[] {
  const { input } = body
  if (isAbsent(input) && [body.previous_response_id, body.conversation, body.prompt].every(isAbsent)) throw missing('input')
  if (!isAbsent(input) && typeof input !== 'string' && !Array.isArray(input)) throw wrong('input', 'a text or a list of items')
  return Array.isArray(input) ? input.filter(isObject) : []
}

/** The parts of a message, or of a tool's output. */
function contentOf(item: Body): Body[] {
  const content = item.content ?? item.output
  return (Array.isArray(content) ? content : [content]).filter(isObject)
}

const texts = new Set<unknown>(['input_text', 'output_text', 'text', 'refusal', 'summary_text', 'reasoning_text'])
const kinds: Readonly<Record<string, string>> = {
  input_image: 'image',
  computer_screenshot: 'image',
  input_audio: 'audio',
  input_file: 'file',
}

function mediaIn(contents: Body[]): { media: Set<string>; nonText: NonTextContent } {
  const media = new Set<string>()
  const nonText = noContent()
  for (const content of contents) {
    const { type } = content
    if (texts.has(type)) continue
    const kind = (typeof type === 'string' && Object.hasOwn(kinds, type) && kinds[type]) || 'other'
    media.add(kind)
    bring(nonText, kind, content)
  }
  return { media, nonText }
}

const own = new Set<unknown>([undefined, 'function', 'custom'])

/** A bound on all calls of hosted tools is one on searches. */
function hostedIn(body: Body): Pick<NonTextContent, 'searches' | 'unseen' | 'modalities'> {
  const tools = (Array.isArray(body.tools) ? body.tools : []).filter(isObject)
  const most = body.max_tool_calls
  return {
    ...(tools.some(({ type }) => type === 'image_generation') && { modalities: ['text', 'image'] }),
    ...(typeof most === 'number' && Number.isSafeInteger(most) && most >= 0 && { searches: most }),
    ...(tools.some(({ type }) => !own.has(type)) && { unseen: true }),
  }
}

const isSearch = (tool: unknown) => isObject(tool) && typeof tool.type === 'string' && tool.type.startsWith('web_search')

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 512

function affinityOf(body: Body): string[] {
  const userId = isObject(body.metadata) ? body.metadata.user_id : undefined
  return [body.prompt_cache_key, body.safety_identifier, body.user, userId].filter(isName)
}

/** Ids of what lives in an account or in Parley; each must belong to the caller. */
function stateRefs(body: Body, items: Body[], contents: Body[]): StateRef[] {
  const refs = new Map<string, StateRef>()
  const add = (kind: StateRef['kind'], id: unknown) => {
    if (typeof id === 'string' && id !== '') refs.set(`${kind} ${id}`, { kind, id })
  }
  add('response', body.previous_response_id)
  if (isObject(body.prompt_cache_options)) add('response', body.prompt_cache_options.comparison_response_id)
  add('conversation', isObject(body.conversation) ? body.conversation.id : body.conversation)
  if (isObject(body.prompt)) add('prompt', body.prompt.id)
  for (const item of items) if (isReference(item) || isMadePicture(item)) add('item', item.id)
  const named = hostedRefs(body, items)
  for (const part of contents) {
    add('file', part.file_id)
    if (!texts.has(part.type)) addKeptAddresses(part, named)
  }
  for (const ref of named) refs.set(`${ref.kind} ${ref.id}`, ref)
  return [...refs.values()]
}

/** Messages, calls of the caller's tools and their results name nothing but files, in their parts. */
const plainItems = new Set<unknown>([
  ...[undefined, null, 'message', 'reasoning', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
])

function hostedRefs(body: Body, items: Body[]): StateRef[] {
  const refs: StateRef[] = []
  for (const item of items) if (!plainItems.has(item.type)) addStateRefs(item, refs)
  for (const tool of Array.isArray(body.tools) ? body.tools : []) {
    if (!isObject(tool) || (own.has(tool.type) && tool.type !== undefined)) continue
    addStateRefs(tool, refs)
  }
  for (const tool of [...toolsOf(body), ...items.flatMap(toolsOf)])
    if (tool.type === 'image_generation') addKeptAddresses(tool.input_image_mask, refs)
  return refs
}

const toolsOf = ({ tools }: Body): Body[] => (Array.isArray(tools) ? tools.filter(isObject) : [])

/** A picture of an earlier answer that is only named. */
const isMadePicture = ({ type, result }: Body) => type === 'image_generation_call' && isAbsent(result)

/** A reference may omit its type, and then has nothing but an id. */
export const isReference = (item: Body) =>
  item.type === 'item_reference' || (isAbsent(item.type) && item.role === undefined && typeof item.id === 'string')

/** `raw` is a body that readHead accepted. Usage needs no asking: every stream ends with it. */
export function editRequest(raw: string, { forceUsage: _, ...edits }: RequestEdits): string {
  return editFields(raw, edits, { field: 'instructions', put: withSystem })
}

/** The channel's prompt comes before the caller's; anything but text is left for the upstream to refuse. */
function withSystem(instructions: string | undefined, prompt: string): string | undefined {
  if (instructions === undefined || instructions === 'null' || instructions === '""') return JSON.stringify(prompt)
  if (!instructions.startsWith('"')) return instructions
  return `${JSON.stringify(`${prompt}\n\n`).slice(0, -1)}${instructions.slice(1)}`
}
