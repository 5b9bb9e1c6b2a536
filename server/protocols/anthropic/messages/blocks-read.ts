/** Content blocks of a request, one by one. What has to be understood is checked; kinds that nobody knows stay as they are. */
import type { CallPart, NativePart, Part, ReasoningPart, ResultPart, TextPart } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import { wrong } from './check.ts'
import { readCitation } from './citations.ts'
import { readMark, readMedia } from './media-read.ts'
import { readNative, searchResultText } from './natives.ts'

export type Block = Record<string, unknown>

/** What reading one request gathers on its way. */
export interface Reading {
  /** Dotted names of what has no place in the conversation. */
  notes: Set<string>
  /** Tool names by call id, for results to name their tool. */
  names: Map<string, string>
}

function need(block: Block, key: string, path: string): string {
  const value = block[key]
  if (typeof value !== 'string') throw wrong(`${path}.${key}`, 'text')
  return value
}

/** One block of a message. Throws GatewayError 400 with the field's path. */
export function readBlock(block: Block, path: string, reading: Reading): Part {
  if (isObject(block.cache_control) && !marked.has(String(block.type))) reading.notes.add('block.cache_control')
  switch (block.type) {
    case 'text':
      return readText(block, path)
    case 'image':
    case 'document':
      return readMedia(block, path, reading.notes)
    case 'thinking':
    case 'redacted_thinking':
      return readReasoning(block, path)
    case 'tool_use':
      return readCall(block, path, reading)
    case 'tool_result':
      return readResult(block, path, reading)
    case 'search_result':
      return { ...readNative(block), summary: searchResultText(block) }
    default:
      return readNative(block)
  }
}

/** Kinds of block whose cache breakpoint has a place in the conversation. */
const marked = new Set(['text', 'image', 'document', 'tool_result'])

function readText(block: Block, path: string): TextPart {
  const cache = readMark(block)
  const citations = Array.isArray(block.citations) ? block.citations.map(readCitation).filter((one) => one !== undefined) : []
  return {
    kind: 'text',
    text: need(block, 'text', path),
    ...(citations.length > 0 && { citations }),
    ...(cache && { cache }),
  }
}

function readReasoning(block: Block, path: string): ReasoningPart {
  if (block.type === 'redacted_thinking') {
    const value = need(block, 'data', path)
    return { kind: 'reasoning', text: [], form: 'hidden', opaque: [{ dialect: 'messages', kind: 'redacted', value }] }
  }
  const text = need(block, 'thinking', path)
  const { signature } = block
  return {
    kind: 'reasoning',
    text: text === '' ? [] : [text],
    form: 'full',
    opaque: typeof signature === 'string' && signature !== '' ? [{ dialect: 'messages', kind: 'signature', value: signature }] : [],
  }
}

function readCall(block: Block, path: string, { names }: Reading): CallPart {
  const [callId, name] = [need(block, 'id', path), need(block, 'name', path)]
  const input = block.input ?? {}
  if (!isObject(input)) throw wrong(`${path}.input`, 'an object')
  names.set(callId, name)
  return { kind: 'call', callId, name, form: 'json', argsText: JSON.stringify(input), path: `${path}.input` }
}

function readResult(block: Block, path: string, reading: Reading): ResultPart {
  const callId = need(block, 'tool_use_id', path)
  const name = reading.names.get(callId)
  const cache = readMark(block)
  return {
    kind: 'result',
    callId,
    ...(name !== undefined && { name }),
    form: 'json',
    isError: block.is_error === true,
    parts: readFindings(block.content, `${path}.content`, reading),
    ...(cache && { cache }),
  }
}

/** What a tool answered; kinds of block that have no place in a result become their JSON text, never nothing. */
function readFindings(content: unknown, path: string, reading: Reading): ResultPart['parts'] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  if (!Array.isArray(content)) throw wrong(path, 'text or a list of blocks')
  return content.map((block: unknown, index) => {
    const at = `${path}[${index}]`
    if (!isObject(block)) throw wrong(at, 'an object')
    const part: Part =
      block.type === 'text' || block.type === 'image' || block.type === 'document' ? readBlock(block, at, reading) : readNative(block)
    if (part.kind === 'text' || part.kind === 'media') return part
    return { kind: 'text', text: block.type === 'search_result' ? searchResultText(block) : textOf(part, block) }
  })
}

/** A document of several blocks is its text; everything else is its JSON. */
function textOf(part: Part, block: Block): string {
  const { summary } = part as NativePart
  return block.type === 'document' && summary !== undefined ? summary : JSON.stringify(block)
}
