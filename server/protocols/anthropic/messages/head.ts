/** What Parley itself reads of a Messages request; everything else passes unseen. */

import type { Head, RequestBody, ScannedBody, StateRef } from '#canonical/codec'
import type { NonTextContent } from '#canonical/non-text-content'
import { bodyNames, cacheMark } from '#protocols/codec/body-names'
import { addKeptAddresses } from '#protocols/codec/file-address'
import { addRef, addStateRefs, bring, noContent, nonTextOf, scanned, standInsOf, uniqueRefs } from '#protocols/codec/head'
import { messagesUnpriced } from '#protocols/codec/unpriced'
import { type Checker, checker, type Fault } from '#shared/check'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { CountTokensRequirements, MessagesRequest, MessagesRequirements } from '#shared/protocols/anthropic/messages'
import { scanObject } from '#wire/json-scan'

type Block = Record<string, unknown>

const names = bodyNames('anthropic', [MessagesRequest], 'context_management betas')
/** Scans a body. Throws GatewayError unless the text is an unambiguous JSON object. */
export const scan = (text: string): ScannedBody => scanObject(text, names)

/** Throws GatewayError 400 with the field's name as `param`; unknown fields and kinds of block pass. */
export function readHead(given: RequestBody): Head {
  const request = scanned(given, scan)
  const body = checked(request.value, messagesCheck)
  return { ...headOf(request, body), maxOutput: body.max_tokens }
}

/** The same for a request to count tokens, which has no limit on output. */
export function readCountHead(given: RequestBody): Head {
  const request = scanned(given, scan)
  return headOf(request, checked(request.value, countCheck))
}

function headOf(request: ScannedBody, body: CountBody): Head {
  const seen = look(body.messages)
  const head: Head = {
    model: body.model,
    stream: body.stream === true,
    n: 1,
    inputBytes: Buffer.byteLength(request.text),
    // Usage is a part of every Messages stream.
    usageAsked: true,
    media: [...seen.media],
    searchAsked: asksSearch(body.tools),
    affinity: affinityOf(body),
    ...standInsOf(body),
    ...((body.service_tier ?? body.speed ?? body.inference_geo ?? body.tools ?? body.anthropic_beta) !== undefined &&
      messagesUnpriced(body)),
    ...nonTextOf({ ...seen.nonText, ...keptFor(request), ...hostedIn(body) }),
  }
  if ([body.temperature, body.top_p, body.top_k].some((value) => value !== undefined && value !== null)) head.samples = true
  const refs = [...seen.refs, ...containerOf(body.container), ...hostedRefs(body)]
  if (refs.length > 0) head.stateRefs = refs
  if (isSomething(body.thread) || isSomething(body.diagnostics)) head.keepsAnswer = true
  return head
}

/** Blocks that hold no media. */
const plain =
  /^(?:text|thinking|redacted_thinking|tool_use|tool_result|search_result|server_tool_use|compaction|mcp_tool_use|.*_tool_result)$/
const kinds: Readonly<Record<string, string>> = { image: 'image', document: 'file', container_upload: 'file' }

/** How long the longest cache breakpoint lasts. Searching the raw text is safe: inside a string the quotes would be escaped. */
function keptFor(request: ScannedBody): Pick<NonTextContent, 'cached'> {
  if (!(request.begins?.has(cacheMark) ?? request.text.includes(`"${cacheMark}`))) return {}
  return { cached: /"ttl"\s*:\s*"1h"/.test(request.text) ? '1h' : '5m' }
}

const looksUp = (tool: unknown) => isObject(tool) && typeof tool.type === 'string' && /^web_(?:search|fetch)/.test(tool.type)

const isSomething = (field: unknown) => field !== undefined && field !== null

/** How often hosted tools may search, and whether hosted tools, MCP servers, a container or a summary add input that is not in the body. */
function hostedIn({ tools, mcp_servers, container, context_management }: CountBody): Pick<NonTextContent, 'searches' | 'unseen'> {
  const listed = (Array.isArray(tools) ? tools : []).filter(isObject)
  const isHosted = listed.some(({ type }) => isSomething(type) && type !== 'custom')
  const uses = listed.filter(looksUp).map(({ max_uses }) => max_uses)
  const isBounded = uses.length > 0 && uses.every((most): most is number => Number.isSafeInteger(most) && Number(most) >= 0)
  return {
    ...(isBounded && { searches: uses.reduce((sum, most) => sum + most, 0) }),
    ...((isHosted || [mcp_servers, container, context_management].some(isSomething)) && { unseen: true }),
  }
}

/** Kinds of media in the messages, and the files that they refer to, tool results included. */
function look(messages: CountBody['messages']): { media: Set<string>; refs: StateRef[]; nonText: NonTextContent } {
  const media = new Set<string>()
  const refs: StateRef[] = []
  const nonText = noContent()
  const visit = (block: unknown, depth: number) => {
    if (!isObject(block) || typeof block.type !== 'string') return
    if (!plain.test(block.type)) {
      const kind = (Object.hasOwn(kinds, block.type) && kinds[block.type]) || 'other'
      media.add(kind)
      bring(nonText, kind, block)
    }
    refs.push(...filesOf(block))
    if (isObject(block.source)) addKeptAddresses(block.source.url, refs)
    if (Array.isArray(block.content) && depth < 4) for (const inner of block.content) visit(inner, depth + 1)
    if (isObject(block.source) && Array.isArray(block.source.content)) for (const inner of block.source.content) visit(inner, depth + 1)
  }
  for (const { content } of messages) if (Array.isArray(content)) for (const block of content) visit(block, 0)
  return { media, refs, nonText }
}

function filesOf(block: Block): StateRef[] {
  const source = block.type === 'container_upload' ? block : block.source
  return isObject(source) && typeof source.file_id === 'string' ? [{ kind: 'file', id: source.file_id }] : []
}

/** State that tools, the thread, skills and instructions name. */
function hostedRefs({ tools, thread, diagnostics, container, system, user_profile_id, workspace_id }: CountBody): StateRef[] {
  const refs: StateRef[] = []
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (isObject(tool) && isSomething(tool.type) && tool.type !== 'custom') addStateRefs(tool, refs)
  }
  for (const field of [thread, container, Array.isArray(system) ? system : undefined]) {
    if (isSomething(field)) addStateRefs(field, refs)
  }
  addRef('user-profile', user_profile_id, refs)
  addRef('workspace', workspace_id, refs)
  const compared: StateRef[] = []
  addStateRefs(diagnostics, compared)
  return uniqueRefs([...compared.map((ref) => ({ ...ref, aside: true as const })), ...refs])
}

/** A container is named by its id, or by an object that may hold one. */
function containerOf(container: unknown): StateRef[] {
  const id = isObject(container) ? container.id : container
  return typeof id === 'string' && id !== '' ? [{ kind: 'container', id }] : []
}

function asksSearch(tools: unknown): boolean {
  return Array.isArray(tools) && tools.some(looksUp)
}

function affinityOf({ container, metadata }: CountBody): string[] {
  const values = [...containerOf(container).map(({ id }) => id), isObject(metadata) ? metadata.user_id : undefined]
  return values.filter((value): value is string => typeof value === 'string' && value !== '' && value.length <= 512)
}

const messagesCheck = checker(MessagesRequirements)
const countCheck = checker(CountTokensRequirements)

/** Checked fields have their types, all others are unchanged. */
export type MessagesBody = MessagesRequirements & Record<string, unknown>
/** The same for a request to count tokens. */
export type CountBody = CountTokensRequirements & Record<string, unknown>

/** The body of POST /v1/messages. Throws GatewayError 400 with the first wrong field as `param`. */
export const checkMessages = (given: RequestBody): MessagesBody => checked(scanned(given, scan).value, messagesCheck)

/** The body of POST /v1/messages/count_tokens, which has no `max_tokens`. Throws as checkMessages does. */
export const checkCount = (given: RequestBody): CountBody => checked(scanned(given, scan).value, countCheck)

function checked<T extends CountTokensRequirements>(
  body: ScannedBody['value'],
  { accepts, faults }: Checker<T>,
): T & Record<string, unknown> {
  if (!accepts(body)) throw refusal(faults(body)[0])
  if (!body.model.isWellFormed() || /\p{Cc}/u.test(body.model)) {
    throw new GatewayError('invalid_value', 'The field `model` must be a name without control characters.', { param: 'model' })
  }
  for (const [index, message] of body.messages.entries()) {
    if (message.content === undefined && !(message.role === 'system' && isObject((message as Record<string, unknown>).output_config))) {
      throw refusal({ code: 'missing_field', path: ['messages', String(index), 'content'], message: '' })
    }
  }
  return body
}

function refusal(fault: Fault | undefined): GatewayError {
  const param = fault?.path.reduce((path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`), '') ?? ''
  if (fault?.code === 'missing_field') return new GatewayError('missing_field', `The field \`${param}\` is required.`, { param })
  return new GatewayError('invalid_value', `The field \`${param}\` is not what it should be. ${fault?.message ?? ''}`.trim(), { param })
}
