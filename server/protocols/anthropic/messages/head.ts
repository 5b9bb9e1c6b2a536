/** What Parley itself reads of a Messages request; everything else passes unseen. */
import type { Head, StateRef } from '#canonical/codec'
import { standInsOf } from '#canonical/stand-ins'
import { isObject } from '#wire/json-scan'
import { type CountBody, checkCount, checkMessages } from './check.ts'

type Block = Record<string, unknown>

/** Throws GatewayError 400 with the field's name as `param`; unknown fields and kinds of block pass. */
export function readHead(raw: string): Head {
  const body = checkMessages(raw)
  return { ...headOf(raw, body), maxOutput: body.max_tokens }
}

/** The same for a request to count tokens, which has no limit on output. */
export const readCountHead = (raw: string): Head => headOf(raw, checkCount(raw))

function headOf(raw: string, body: CountBody): Head {
  const seen = look(body.messages)
  const head: Head = {
    model: body.model,
    stream: body.stream === true,
    n: 1,
    inputBytes: Buffer.byteLength(raw),
    // Usage is a part of every Messages stream.
    usageAsked: true,
    media: [...seen.media],
    searchAsked: asksSearch(body.tools),
    affinity: affinityOf(body),
    ...standInsOf(body),
  }
  if ([body.temperature, body.top_p, body.top_k].some((value) => value !== undefined && value !== null)) head.samples = true
  const refs = [...seen.refs, ...containerOf(body.container)]
  if (refs.length > 0) head.stateRefs = refs
  if (typeof body.group === 'string') head.group = body.group
  return head
}

/** Blocks that are no media of the caller's. */
const plain =
  /^(?:text|thinking|redacted_thinking|tool_use|tool_result|search_result|server_tool_use|compaction|mcp_tool_use|.*_tool_result)$/
const kinds: Readonly<Record<string, string>> = { image: 'image', document: 'file', container_upload: 'file' }

/** Kinds of media in the messages, and the files that they refer to, tool results included. */
function look(messages: CountBody['messages']): { media: Set<string>; refs: StateRef[] } {
  const media = new Set<string>()
  const refs: StateRef[] = []
  const visit = (block: unknown, depth: number) => {
    if (!isObject(block) || typeof block.type !== 'string') return
    if (!plain.test(block.type)) media.add((Object.hasOwn(kinds, block.type) && kinds[block.type]) || 'other')
    refs.push(...filesOf(block))
    if (Array.isArray(block.content) && depth < 4) for (const inner of block.content) visit(inner, depth + 1)
    if (isObject(block.source) && Array.isArray(block.source.content)) for (const inner of block.source.content) visit(inner, depth + 1)
  }
  for (const { content } of messages) if (Array.isArray(content)) for (const block of content) visit(block, 0)
  return { media, refs }
}

function filesOf(block: Block): StateRef[] {
  const source = block.type === 'container_upload' ? block : block.source
  return isObject(source) && typeof source.file_id === 'string' ? [{ kind: 'file', id: source.file_id }] : []
}

/** A container is named by its id, or by an object that may hold one. */
function containerOf(container: unknown): StateRef[] {
  const id = isObject(container) ? container.id : container
  return typeof id === 'string' && id !== '' ? [{ kind: 'container', id }] : []
}

function asksSearch(tools: unknown): boolean {
  return (
    Array.isArray(tools) && tools.some((tool) => isObject(tool) && typeof tool.type === 'string' && /^web_(?:search|fetch)/.test(tool.type))
  )
}

function affinityOf({ container, metadata }: CountBody): string[] {
  const values = [...containerOf(container).map(({ id }) => id), isObject(metadata) ? metadata.user_id : undefined]
  return values.filter((value): value is string => typeof value === 'string' && value !== '' && value.length <= 512)
}
