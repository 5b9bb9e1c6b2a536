/**
 * Blocks of Messages as those of Converse. Read: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 * and the pages of its members.
 */
import type { LossList } from '#canonical/loss'
import { isObject } from '#shared/json'
import type { Json } from '../frame.ts'

/** The context shared by the blocks of one request. */
export interface BlockContext {
  losses: LossList
  /** The upstream's name of a tool. */
  toolName(name: string): string
  /** A free name for a document. */
  documentName(title: unknown): string
}

/** A breakpoint after a block that has one. */
export function cachePoint({ cache_control: mark }: Json): Json[] {
  if (!isObject(mark)) return []
  return [{ cachePoint: { type: 'default', ...(mark.ttl === '1h' && { ttl: '1h' }) } }]
}

const formats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
}

/** A bucket URL may be in the place of the bytes: base64 has no colon (`request-write.ts`). */
const bytesOrBucket = (data: unknown): Json =>
  typeof data === 'string' && data.startsWith('s3://') ? { s3Location: { uri: data } } : { bytes: data }

const formatOf = (source: Json) => formats[String(source.media_type)] ?? 'txt'

function documentSource(source: Json): Json {
  if (source.type === 'text') return { bytes: Buffer.from(String(source.data)).toString('base64') }
  if (source.type !== 'content') return bytesOrBucket(source.data)
  const blocks = Array.isArray(source.content) ? source.content : [{ type: 'text', text: source.content }]
  return { content: blocks.filter(isObject).flatMap(({ text }) => (typeof text === 'string' ? [{ text }] : [])) }
}

function document(block: Json, { documentName }: BlockContext): Json {
  const source = isObject(block.source) ? block.source : {}
  return {
    document: {
      format: formatOf(source),
      name: documentName(block.title),
      source: documentSource(source),
      ...(typeof block.context === 'string' && { context: block.context }),
      ...(isObject(block.citations) && { citations: { enabled: block.citations.enabled === true } }),
    },
  }
}

function toolResult(block: Json, context: BlockContext): Json {
  const { content } = block
  const inner = Array.isArray(content) ? content.filter(isObject) : [{ type: 'text', text: content ?? '' }]
  // A breakpoint inside a result is written after the whole result.
  const written = inner.flatMap((one) => writeBlock({ ...one, cache_control: undefined }, context))
  return {
    toolResult: {
      toolUseId: block.tool_use_id,
      content: written.length > 0 ? written : [{ text: '(no output)' }],
      status: block.is_error === true ? 'error' : 'success',
    },
  }
}

/** One block with what follows it; nothing for one that Converse does not have, with its loss. */
export function writeBlock(block: Json, context: BlockContext): Json[] {
  const marks = cachePoint(block)
  switch (block.type) {
    case 'text':
      if (Array.isArray(block.citations) && block.citations.length > 0)
        context.losses.leftOut('turns.citations', 'This upstream takes no citations of earlier answers.')
      return block.text === '' ? marks : [{ text: block.text }, ...marks]
    case 'image': {
      const source = isObject(block.source) ? block.source : {}
      return [{ image: { format: formatOf(source), source: bytesOrBucket(source.data) } }, ...marks]
    }
    case 'document':
      return [document(block, context), ...marks]
    case 'tool_use':
      return [{ toolUse: { toolUseId: block.id, name: context.toolName(String(block.name)), input: block.input } }, ...marks]
    case 'tool_result':
      return [toolResult(block, context), ...marks]
    case 'thinking':
      return [{ reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } }]
    case 'redacted_thinking':
      return [{ reasoningContent: { redactedContent: block.data } }]
    default:
      context.losses.dropped(`turns.${typeof block.type === 'string' ? block.type : 'block'}`, 'This upstream has no such block.')
      return marks
  }
}

/** Names of documents, each once, in the characters that the upstream allows. */
export function documentNames(): (title: unknown) => string {
  const taken = new Set<string>()
  return (title) => {
    const plain = typeof title === 'string' ? title.replace(/[^A-Za-z0-9\s()[\]-]/g, ' ').replace(/\s+/g, ' ') : ''
    const wanted = plain.trim().slice(0, 180) || 'Document'
    let free = wanted
    for (let number = 2; taken.has(free); number++) free = `${wanted} (${number})`
    taken.add(free)
    return free
  }
}
