/**
 * Blocks of Converse, as its clients send them, in the Messages format. Read:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html and the pages of its members.
 */
import type { LossList } from '#canonical/loss'
import { type Fields, invalidField } from '#protocols/codec/fields'
import { GatewayError } from '#shared/errors'
import { exactCall } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { ConverseBlock } from '#shared/protocols/bedrock/converse'
import type { Json } from '../frame.ts'

type Block = Fields<ConverseBlock>
type SourceOf = NonNullable<NonNullable<ConverseBlock['document']>['source']>

const office = 'application/vnd.openxmlformats-officedocument'
const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: `${office}.wordprocessingml.document`,
  xls: 'application/vnd.ms-excel',
  xlsx: `${office}.spreadsheetml.sheet`,
}
/** Documents that are text. */
const texts = new Set(['txt', 'md', 'csv', 'html'])

const kinds = [
  ...(['text', 'image', 'document', 'toolUse', 'toolResult', 'reasoningContent', 'citationsContent', 'searchResult'] as const),
  ...(['guardContent', 'cachePoint', 'json'] as const),
]

/**
 * Blocks in order; a breakpoint marks the block before it. Throws GatewayError for blocks that cannot be read, or expressed in Messages.
 */
export function readBlocks(blocks: readonly Block[], losses: LossList): Json[] {
  const written: Json[] = []
  for (const block of blocks) {
    const point = block.object('cachePoint')
    if (!point) written.push(readBlock(block, losses))
    else mark(written.at(-1), point.whole(), losses)
  }
  return written
}

/** Attaches a breakpoint to the block before it. */
export function mark(before: Json | undefined, { ttl }: Json, losses: LossList): void {
  if (before) before.cache_control = { type: 'ephemeral', ...(ttl === '1h' && { ttl }) }
  else losses.leftOut('cachePoint', 'There is nothing before this breakpoint.')
}

function readBlock(block: Block, losses: LossList): Json {
  for (const kind of ['video', 'audio'] as const) {
    if (block.has(kind)) throw noPlace(block.pathOf(kind), kind)
  }
  const kind = kinds.find((one) => block.has(one))
  switch (kind) {
    case 'text':
      return { type: 'text', text: block.needText('text') }
    case 'json':
      return { type: 'text', text: JSON.stringify(exactCall(block.json('json'))) }
    case 'image':
      return readImage(block)
    case 'document':
      return readDocument(block)
    case 'toolUse': {
      const call = block.needObject('toolUse')
      call.ignore('type')
      return { type: 'tool_use', id: call.needText('toolUseId'), name: call.needText('name'), input: exactCall(call.json('input')) ?? {} }
    }
    case 'toolResult':
      return readResult(block, losses)
    case 'reasoningContent':
      return readReasoning(block)
    case 'citationsContent': {
      const cited = block.needObject('citationsContent')
      if (cited.has('citations')) losses.leftOut('turns.citations', 'Citations of earlier answers are not sent again.')
      cited.ignore('citations')
      return { type: 'text', text: textsIn(cited.json('content')) }
    }
    case 'searchResult': {
      const { source, title, content, citations } = block.needObject('searchResult').whole()
      const said = (Array.isArray(content) ? content : []).filter(isObject).map(({ text }) => ({ type: 'text', text }))
      return { type: 'search_result', source, title, content: said, ...(isObject(citations) && { citations }) }
    }
    case 'guardContent': {
      const guarded = block.needObject('guardContent')
      losses.leftOut('guardContent', 'There is no guardrail for it.')
      const said = guarded.object('text')
      if (!said) throw noPlace(guarded.path, 'guardContent.image')
      said.ignore('qualifiers')
      return { type: 'text', text: said.needText('text') }
    }
    default:
      throw invalidField(block.path, 'a block that Converse has')
  }
}

const noPlace = (param: string, kind: string) =>
  new GatewayError('unsupported_value', `Parley cannot carry blocks of the kind \`${kind}\` here.`, { param })

const textsIn = (content: unknown): string =>
  (Array.isArray(content) ? content : [])
    .filter(isObject)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')

function readImage(block: Block): Json {
  const image = block.needObject('image')
  const type = types[image.needText('format')]
  if (type === undefined) throw invalidField(image.pathOf('format'), 'png, jpeg, gif or webp')
  return { type: 'image', source: bytesOf(image.needObject('source'), type) }
}

function bytesOf(source: Fields<SourceOf>, type: string): Json {
  const bucket = source.object('s3Location')
  if (!bucket) return { type: 'base64', media_type: type, data: source.needText('bytes') }
  bucket.ignore('bucketOwner')
  return { type: 'url', url: bucket.needText('uri') }
}

function readDocument(block: Block): Json {
  const document = block.needObject('document')
  const format = document.text('format') ?? 'txt'
  const type = types[format]
  if (type === undefined && !texts.has(format)) throw invalidField(document.pathOf('format'), 'a format that Converse has')
  const title = document.text('name')
  const context = document.text('context')
  const citations = document.object('citations')?.flag('enabled')
  return {
    type: 'document',
    source: documentSource(document.needObject('source'), type),
    ...(title !== undefined && { title }),
    ...(context !== undefined && { context }),
    ...(citations !== undefined && { citations: { enabled: citations } }),
  }
}

/** `type`: undefined for text. */
function documentSource(source: Fields<SourceOf>, type: string | undefined): Json {
  const plain = (data: string) => ({ type: 'text', media_type: 'text/plain', data })
  if (source.has('text')) return plain(source.needText('text'))
  if (source.has('content')) {
    const blocks = source.objects('content').map((one) => ({ type: 'text', text: one.as<Json>().needText('text') }))
    return { type: 'content', content: blocks }
  }
  if (type !== undefined || source.has('s3Location')) return bytesOf(source, type ?? 'text/plain')
  return plain(Buffer.from(source.needText('bytes'), 'base64').toString('utf8'))
}

function readResult(block: Block, losses: LossList): Json {
  const result = block.needObject('toolResult')
  result.ignore('type')
  const content = readBlocks(
    result.objects('content').map((one) => one.as<ConverseBlock>()),
    losses,
  )
  const isError = result.word('status', ['success', 'error']) === 'error'
  return { type: 'tool_result', tool_use_id: result.needText('toolUseId'), content, ...(isError && { is_error: true }) }
}

function readReasoning(block: Block): Json {
  const thought = block.needObject('reasoningContent')
  const said = thought.object('reasoningText')
  if (!said) return { type: 'redacted_thinking', data: thought.needText('redactedContent') }
  return { type: 'thinking', thinking: said.needText('text'), signature: said.text('signature') ?? '' }
}
