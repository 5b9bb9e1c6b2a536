/** Parts of turns as content blocks. Empty texts are left out, because the vendor refuses them. */
import type { CallPart, NativePart, Opaque, Part, ReasoningPart, RefusalPart, ResultPart, TextPart } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, notNeeded, type WrittenFields, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import { wrapInput } from '#protocols/codec/wrapped-tool'
import { parseArguments } from '#shared/exact-numbers'
import type { Json } from '../frame.ts'
import { writeOwnCitation } from './citations.ts'
import type { RequestContext } from './request-write-context.ts'
import { writeMedia } from './request-write-media.ts'

/** Blocks of a user, tool or system turn. Throws GatewayError `unsupported_value`. */
export const userBlocks = (parts: readonly Part[], writing: RequestContext): Json[] => parts.flatMap((part) => userBlock(part, writing))

function userBlock(part: Part, writing: RequestContext): Json[] {
  switch (part.kind) {
    case 'media':
      return [writeMedia(part, writing)]
    case 'result':
      return [writeFields(part, resultWriters, writing)]
    case 'call':
    case 'reasoning':
      writing.losses.dropped('turns.parts', 'Only an assistant turn can contain reasoning and tool calls.')
      return []
    default:
      return commonBlocks(part, writing)
  }
}

/** Blocks of an assistant turn. Throws GatewayError `unsupported_value`. */
export const assistantBlocks = (parts: readonly Part[], writing: RequestContext): Json[] =>
  parts.flatMap((part) => assistantBlock(part, writing))

function assistantBlock(part: Part, writing: RequestContext): Json[] {
  switch (part.kind) {
    case 'reasoning':
      return reasoningBlocks(part, writing)
    case 'call':
      return [writeFields(part, callWriters, writing)]
    case 'media':
      writing.losses.dropped('turns.media', 'This upstream takes no media from the assistant.')
      return plainText(part.transcript ?? '')
    case 'result':
      writing.losses.dropped('turns.parts', 'An assistant turn cannot contain tool results.')
      return []
    default:
      return commonBlocks(part, writing)
  }
}

/** Blocks that the user and the assistant have in common. */
function commonBlocks(part: TextPart | RefusalPart | NativePart, writing: RequestContext): Json[] {
  if (part.kind === 'text') return textBlocks(part, writing)
  if (part.kind === 'native') return nativeBlocks(part, writing)
  const block = writeFields(part, refusalWriters, writing)
  return part.text === '' ? [] : [block]
}

const plainText = (text: string): Json[] => (text === '' ? [] : [{ type: 'text', text }])

const refusalWriters: FieldWriters<RefusalPart, RequestContext> = {
  kind(_, { losses }) {
    losses.adapted('turns.refusal', 'This upstream has no refusals: the refusal became text.')
    return { type: 'text' }
  },
  text: (text) => ({ text }),
}

const textWriters: FieldWriters<TextPart, RequestContext> = {
  kind: () => ({ type: 'text' }),
  text: (text) => ({ text }),
  phase(_, { losses }) {
    losses.leftOut('turns.phase', 'This upstream does not distinguish remarks from answers.')
  },
  citations(citations, { losses }) {
    // Only places that this vendor named can be named to it again.
    const own = citations.flatMap((citation) => writeOwnCitation(citation) ?? [])
    if (own.length < citations.length) losses.leftOut('turns.citations', 'Citations of another vendor cannot be shown to this one.')
    return own.length > 0 ? { citations: own } : undefined
  },
  cache: (mark, { marked }) => marked(mark),
  // This vendor signs thoughts, never texts.
  opaque: notNeeded,
}

function textBlocks(part: TextPart, writing: RequestContext): Json[] {
  if (part.text !== '') return [writeFields(part, textWriters, writing)]
  if (part.phase) writing.losses.leftOut('turns.phase', 'This upstream does not distinguish remarks from answers.')
  return []
}

type State = WrittenFields<Opaque, { dialect: 'written'; value: 'written' }>

const reasoningWriters: FieldWriters<ReasoningPart, RequestContext> = {
  kind: notNeeded,
  // The signature determines the form of reasoning.
  form: notNeeded,
  opaque(opaque, _, { text }) {
    const own: State[] = opaque.filter(({ dialect }) => dialect === 'messages')
    const redacted = own.find(({ kind }) => kind === 'redacted')
    if (redacted) return { type: 'redacted_thinking', data: redacted.value }
    const signature = own.find(({ kind }) => kind === 'signature')
    return signature && { type: 'thinking', thinking: text.join('\n\n'), signature: signature.value }
  },
  text: writtenElsewhere,
}

/** Reasoning is only sent back with the vendor's own signature; without it the request would be refused. */
function reasoningBlocks(part: ReasoningPart, writing: RequestContext): Json[] {
  const block = writeFields(part, reasoningWriters, writing)
  if (block.type !== undefined) return [block]
  writing.losses.leftOut('turns.reasoning', 'Reasoning without this vendor’s signature cannot be sent back to it.')
  return []
}

const callWriters: FieldWriters<CallPart, RequestContext> = {
  kind: () => ({ type: 'tool_use' }),
  callId: (id, { callId }) => ({ id: callId(id) }),
  name: (name, { names }, { namespace }) => ({ name: names.out(name, namespace) }),
  namespace: writtenElsewhere,
  form(form, { losses }) {
    if (form === 'text') losses.adapted('tools.custom', 'A tool that takes free text became a function with one text parameter.')
  },
  argsText(argsText, { request }, { form, path }) {
    const input = parseArguments(form === 'text' ? wrapInput(argsText) : argsText.trim() === '' ? '{}' : argsText)
    if (!input) throw cannotCarry(request, 'turns', 'The arguments of this tool call are not a JSON object.', path)
    return { input }
  },
  // This vendor signs thoughts, never calls.
  opaque: notNeeded,
  // For refusals only.
  path: notNeeded,
}

const resultWriters: FieldWriters<ResultPart, RequestContext> = {
  kind: () => ({ type: 'tool_result' }),
  callId: (id, { callId }) => ({ tool_use_id: callId(id) }),
  parts(parts, writing) {
    const blocks = parts.flatMap((part) => (part.kind === 'text' ? textBlocks(part, writing) : [writeMedia(part, writing)]))
    const [first, ...others] = blocks
    const isPlain = others.length === 0 && first?.type === 'text' && first.cache_control === undefined
    return { content: first === undefined ? '(no output)' : isPlain ? first.text : blocks }
  },
  isError: (isError) => (isError ? { is_error: true } : undefined),
  cache: (mark, { marked }) => marked(mark),
  // A result finds its call by the id, and takes text whatever the tool takes.
  name: notNeeded,
  form: notNeeded,
}

const nativeWriters: FieldWriters<NativePart, RequestContext> = {
  kind: notNeeded,
  dialect: writtenElsewhere,
  raw: (raw, _, { dialect }) => (dialect === 'messages' ? (raw as Json) : undefined),
  summary: (text, _, { dialect }) => (dialect === 'messages' || text === '' ? undefined : { type: 'text', text }),
  // Is in `raw`; the envelope of another vendor's state is opened before a codec sees it.
  opaque: notNeeded,
}

function nativeBlocks(part: NativePart, writing: RequestContext): Json[] {
  const block = writeFields(part, nativeWriters, writing)
  if (part.dialect === 'messages') return [block]
  if (block.type === undefined) {
    writing.losses.dropped('turns.native', 'A part of the conversation is meaningless to other vendors.')
    return []
  }
  writing.losses.adapted('turns.native', 'The steps of another vendor’s own tools became text.')
  return [block]
}
