/** Parts of turns as content blocks. Empty texts are left out: the vendor refuses them. */

import type { CallPart, NativePart, Part, ReasoningPart, RefusalPart, ResultPart, TextPart } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import { wrapInput } from '#canonical/wrapped-tool'
import { parseObject } from '#wire/json-scan'
import { writeOwnCitation } from './citations.ts'
import type { Json } from './frame.ts'
import { writeMedia } from './media-write.ts'
import type { Writing } from './writing.ts'

/** Blocks of a user, tool or system turn. Throws GatewayError `unsupported_value`. */
export const userBlocks = (parts: readonly Part[], writing: Writing): Json[] => parts.flatMap((part) => userBlock(part, writing))

function userBlock(part: Part, writing: Writing): Json[] {
  switch (part.kind) {
    case 'text':
      return textBlocks(part, writing)
    case 'media':
      return [writeMedia(part, writing)]
    case 'result':
      return [resultBlock(part, writing)]
    case 'refusal':
      return refusalText(part, writing)
    case 'native':
      return nativeBlocks(part, writing)
    case 'call':
    case 'reasoning':
      writing.losses.dropped('turns.parts', 'Only the assistant thinks and calls tools.')
      return []
  }
}

/** Blocks of an assistant turn. Throws GatewayError `unsupported_value`. */
export const assistantBlocks = (parts: readonly Part[], writing: Writing): Json[] => parts.flatMap((part) => assistantBlock(part, writing))

function assistantBlock(part: Part, writing: Writing): Json[] {
  switch (part.kind) {
    case 'text':
      return textBlocks(part, writing)
    case 'refusal':
      return refusalText(part, writing)
    case 'reasoning':
      return reasoningBlocks(part, writing)
    case 'call':
      return [callBlock(part, writing)]
    case 'native':
      return nativeBlocks(part, writing)
    case 'media':
      writing.losses.dropped('turns.media', 'This upstream takes no media from the assistant.')
      return plainText(part.transcript ?? '')
    case 'result':
      writing.losses.dropped('turns.parts', 'The assistant brings no results of tools.')
      return []
  }
}

const plainText = (text: string): Json[] => (text === '' ? [] : [{ type: 'text', text }])

function refusalText({ text }: RefusalPart, { losses }: Writing): Json[] {
  losses.adapted('turns.refusal', 'This upstream has no place for a refusal: its words are text.')
  return plainText(text)
}

function textBlocks({ text, phase, citations, cache }: TextPart, { losses, marked }: Writing): Json[] {
  if (phase) losses.forgotten('turns.phase', 'This upstream tells no remarks from answers.')
  if (text === '') return []
  // Only places that this vendor named can be named to it again.
  const own = (citations ?? []).flatMap((citation) => writeOwnCitation(citation) ?? [])
  if (own.length < (citations?.length ?? 0)) losses.forgotten('turns.citations', 'Citations of another vendor cannot be shown to this one.')
  return [{ type: 'text', text, ...(own.length > 0 && { citations: own }), ...marked(cache) }]
}

/** Thinking goes back only with the vendor's own seal; without it the request would be refused. */
function reasoningBlocks({ text, opaque }: ReasoningPart, { losses }: Writing): Json[] {
  const own = opaque.filter(({ dialect }) => dialect === 'messages')
  const redacted = own.find(({ kind }) => kind === 'redacted')
  if (redacted) return [{ type: 'redacted_thinking', data: redacted.value }]
  const signature = own.find(({ kind }) => kind === 'signature')
  if (signature) return [{ type: 'thinking', thinking: text.join('\n\n'), signature: signature.value }]
  losses.forgotten('turns.reasoning', 'Thinking without the seal of this vendor cannot be sent back to it.')
  return []
}

function callBlock({ callId, name, namespace, form, argsText, path }: CallPart, writing: Writing): Json {
  const { request, losses, names, callId: idOf } = writing
  if (form === 'text') losses.adapted('tools.custom', 'A tool that takes free text is offered as a function with one text.')
  const input = parseObject(form === 'text' ? wrapInput(argsText) : argsText.trim() === '' ? '{}' : argsText)
  if (!input) throw cannotCarry(request, 'turns', 'The arguments of this tool call are not a JSON object.', path)
  return { type: 'tool_use', id: idOf(callId), name: names.out(name, namespace), input }
}

function resultBlock({ callId, isError, parts, cache }: ResultPart, writing: Writing): Json {
  const blocks = parts.flatMap((part) => (part.kind === 'text' ? textBlocks(part, writing) : [writeMedia(part, writing)]))
  const [first, ...others] = blocks
  const isPlain = others.length === 0 && first?.type === 'text' && first.cache_control === undefined
  return {
    type: 'tool_result',
    tool_use_id: writing.callId(callId),
    content: first === undefined ? '(no output)' : isPlain ? first.text : blocks,
    ...(isError && { is_error: true }),
    ...writing.marked(cache),
  }
}

function nativeBlocks({ dialect, raw, summary }: NativePart, { losses }: Writing): Json[] {
  if (dialect === 'messages') return [raw as Json]
  if (summary === undefined || summary === '') {
    losses.dropped('turns.native', 'A part of the conversation means something to its own vendor only.')
    return []
  }
  losses.adapted('turns.native', 'What another vendor’s own tools did is told in words.')
  return plainText(summary)
}
