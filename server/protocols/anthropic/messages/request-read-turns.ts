/** Messages as turns. Results of tools, which are in a user message, become a turn of their own before it. */
import type {
  CacheMark,
  CallPart,
  MediaPart,
  MediaSource,
  NativePart,
  Part,
  ReasoningPart,
  ResultPart,
  TextPart,
  Turn,
} from '#canonical/conversation'
import { type Fields, type ItemReader, invalidField } from '#protocols/codec/fields'
import { exact, exactCall } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { CountTokensRequest, MessagesBlock, MessagesMessage, MessagesSource, MessagesTool } from '#shared/protocols/anthropic/messages'
import { readCitation } from './citations.ts'
import { readNative, searchResultText } from './request-read-native.ts'

/** Throws GatewayError 400 with the field's path. */
export function readTurns(body: Fields<CountTokensRequest>, reading: Reading): Turn[] {
  const blocks: ItemReader<MessagesBlock, Part> = { ...plainText, read: (block) => readBlock(block, reading) }
  const messages: ItemReader<MessagesMessage, Turn[]> = { ...plainMessage, read: (message) => readMessage(message, blocks) }
  return body.each('messages', messages).flat()
}

/** A message of a role and a text. */
const plainMessage: Pick<ItemReader<MessagesMessage, Turn[]>, 'first' | 'second' | 'plain'> = {
  first: 'role',
  second: 'content',
  plain(role, text, path, index) {
    if (role !== 'user' && role !== 'assistant') return undefined
    return [{ role, parts: [{ kind: 'text', text }], path: `${path}[${index}]` }]
  },
}

/** A block with nothing but text. */
const plainText: Pick<ItemReader<MessagesBlock, Part>, 'first' | 'second' | 'plain'> = {
  first: 'type',
  second: 'text',
  plain: (type, text) => (type === 'text' ? { kind: 'text', text } : undefined),
}

function readMessage(message: Fields<MessagesMessage>, blocks: ItemReader<MessagesBlock, Part>): Turn[] {
  const { path } = message
  const role = message.text('role')
  const parts = readContent(message, blocks)
  switch (role) {
    case 'system':
      // A turn that only sets something, which is reported by its path.
      return parts.length === 0 ? [] : [{ role, parts, path }]
    case 'assistant':
      return [{ role, parts, path }]
    case 'user': {
      const results = parts.filter((part) => part.kind === 'result')
      const rest = results.length === 0 ? parts : parts.filter((part) => part.kind !== 'result')
      const turns: Turn[] = []
      if (results.length > 0) turns.push({ role: 'tool', parts: results, path })
      if (rest.length > 0 || results.length === 0) turns.push({ role, parts: rest, path })
      return turns
    }
    default:
      throw invalidField(message.pathOf('role'), 'one of user, assistant, system')
  }
}

/** A text, or a list of blocks. */
function readContent(message: Fields<MessagesMessage>, blocks: ItemReader<MessagesBlock, Part>): Part[] {
  const text = message.textIf('content')
  if (text !== undefined) return [{ kind: 'text', text }]
  return message.each('content', blocks)
}

type Block = Fields<MessagesBlock>

/** What reading one request gathers on its way. */
export interface Reading {
  /** Fields that only this dialect has and that its writer restores from elsewhere: dotted names, or paths in the body. */
  notes: Set<string>
  /** Tool names by call id, for results to name their tool. */
  names: Map<string, string>
}

/** A text that must be there, empty or not. */
function need(block: Block, name: keyof MessagesBlock & string): string {
  const text = block.textIf(name)
  if (text === undefined) throw invalidField(block.pathOf(name), 'text')
  return text
}

/** One block of a message. Throws GatewayError 400 with the field's path. */
export function readBlock(block: Block, reading: Reading): Part {
  const type = block.textIf('type')
  if (!marked.has(type) && isObject(block.json('cache_control'))) reading.notes.add('block.cache_control')
  switch (type) {
    case 'text':
      return readText(block)
    case 'image':
    case 'document':
      return readMedia(block, type, reading.notes)
    case 'thinking':
      return readThinking(block)
    case 'redacted_thinking':
      return {
        kind: 'reasoning',
        text: [],
        form: 'hidden',
        opaque: [{ dialect: 'messages', kind: 'redacted', value: need(block, 'data') }],
      }
    case 'tool_use':
      return readCall(block, reading)
    case 'tool_result':
      return readResult(block, reading)
    case 'search_result': {
      const raw = block.whole()
      return { ...readNative(raw), summary: searchResultText(raw) }
    }
    default:
      return readNative(block.whole())
  }
}

/** Kinds of block whose cache breakpoint has a place in the conversation. */
const marked = new Set<string | undefined>(['text', 'image', 'document', 'tool_result'])

/** A cache breakpoint, or undefined when there is none. */
export function readMark(marked: Fields<MessagesBlock> | Fields<MessagesTool>): CacheMark | undefined {
  const mark = marked.as<Pick<MessagesBlock, 'cache_control'>>().objectIf('cache_control')
  if (!mark) return undefined
  mark.ignore('type')
  return { ttl: mark.textIf('ttl') === '1h' ? '1h' : '5m' }
}

function readText(block: Block): TextPart {
  const cache = readMark(block)
  const list = block.json('citations')
  const citations = Array.isArray(list) ? list.map(readCitation).filter((one) => one !== undefined) : []
  return {
    kind: 'text',
    text: need(block, 'text'),
    ...(citations.length > 0 && { citations }),
    ...(cache && { cache }),
  }
}

function readThinking(block: Block): ReasoningPart {
  const text = need(block, 'thinking')
  const signature = block.textIf('signature') ?? ''
  return {
    kind: 'reasoning',
    text: text === '' ? [] : [text],
    form: 'full',
    opaque: signature === '' ? [] : [{ dialect: 'messages', kind: 'signature', value: signature }],
  }
}

function readCall(block: Block, { names }: Reading): CallPart {
  const [callId, name] = [need(block, 'id'), need(block, 'name')]
  const input = block.json('input') ?? {}
  if (!isObject(input)) throw invalidField(block.pathOf('input'), 'an object')
  // Every call of an answer names its caller, and clients send that back: `direct` has no more fields, any other caller has.
  block.objectIf('caller')?.ignore('type')
  names.set(callId, name)
  return { kind: 'call', callId, name, form: 'json', argsText: JSON.stringify(exactCall(input)), path: block.pathOf('input') }
}

function readResult(block: Block, reading: Reading): ResultPart {
  const callId = need(block, 'tool_use_id')
  const name = reading.names.get(callId)
  const cache = readMark(block)
  return {
    kind: 'result',
    callId,
    ...(name !== undefined && { name }),
    form: 'json',
    isError: block.json('is_error') === true,
    parts: readFindings(block, reading),
    ...(cache && { cache }),
  }
}

/** The content of a tool result; unsupported kinds of block become their JSON text and are never dropped. */
function readFindings(result: Block, reading: Reading): ResultPart['parts'] {
  const text = result.textIf('content')
  if (text !== undefined) return text === '' ? [] : [{ kind: 'text', text }]
  return result.objects('content').map((item) => {
    const block = item.as<MessagesBlock>()
    const type = block.textIf('type')
    if (type === 'text' || type === 'image' || type === 'document') {
      const part = readBlock(block, reading)
      if (part.kind === 'text' || part.kind === 'media') return part
      // A document of several blocks is its text.
      const summary = part.kind === 'native' ? part.summary : undefined
      return { kind: 'text', text: summary ?? JSON.stringify(exact(block.whole())) }
    }
    const raw = block.whole()
    return { kind: 'text', text: type === 'search_result' ? searchResultText(raw) : JSON.stringify(exact(raw)) }
  })
}

/** An `image` or `document` block. A document made of several blocks keeps its own form. */
function readMedia(block: Block, media: 'image' | 'document', notes: Set<string>): MediaPart | NativePart {
  const source = block.objectIf('source')
  if (!source) throw invalidField(block.pathOf('source'), 'an object')
  if (source.textIf('type') === 'content') return readNative(block.whole())
  const [context, citations, title] = [block.json('context'), block.json('citations'), block.textIf('title') ?? '']
  const extra = { ...(context ? { context } : {}), ...(isObject(citations) && citations.enabled === true && { citations }) }
  for (const name of Object.keys(extra)) notes.add(`document.${name}`)
  const cache = readMark(block)
  const mimeType = source.textIf('media_type')
  return {
    kind: 'media',
    media,
    source: readSource(source),
    ...(mimeType !== undefined && { mimeType }),
    ...(title !== '' && { title }),
    ...(cache && { cache }),
    ...(Object.keys(extra).length > 0 && { extra }),
    path: block.path,
  }
}

function readSource(source: Fields<MessagesSource>): MediaSource {
  const filled = (name: 'data' | 'url' | 'file_id'): string => {
    const text = source.textIf(name) ?? ''
    if (text === '') throw invalidField(source.pathOf(name), 'text that is not empty')
    return text
  }
  switch (source.textIf('type')) {
    case 'base64':
      return { data: filled('data') }
    case 'url':
      return { url: filled('url') }
    case 'file':
      return { fileId: filled('file_id'), dialect: 'messages' }
    case 'text':
      return { text: filled('data') }
    default:
      throw invalidField(source.pathOf('type'), 'one of base64, url, file, text, content')
  }
}
