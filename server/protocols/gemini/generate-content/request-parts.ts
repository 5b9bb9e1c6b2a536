/** Parts of a request in Gemini's form. */
import type { CallPart, NativePart, Part, ReasoningPart, ResultPart, TextPart } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import type { ToolNames } from '#canonical/tool-names'
import type { Body } from '../proto-json.ts'
import { writeMedia } from './media-write.ts'
import { signatureIn } from './part.ts'
import { parseArgs } from './part-write.ts'
import type { Writing } from './writing.ts'

export interface PartWriting extends Writing {
  names: ToolNames
}

export function writePart(part: Part, writing: PartWriting): Body[] {
  switch (part.kind) {
    case 'text':
      return writeText(part, writing)
    case 'refusal':
      writing.losses.adapted('turns.refusal', 'The upstream has no place for a refusal: its words are text.')
      return part.text === '' ? [] : [{ text: part.text }]
    case 'reasoning':
      return writeReasoning(part, writing)
    case 'call':
      return [writeCall(part, writing)]
    case 'media':
      return writeMedia(part, writing)
    case 'native':
      return writeNative(part, writing)
    case 'result':
      return []
  }
}

function writeText({ text, phase, cache, citations, opaque }: TextPart, { losses }: PartWriting): Body[] {
  if (phase) losses.forgotten('turns.phase', 'The upstream tells no remarks from answers.')
  if (cache) losses.forgotten('cache', 'The upstream takes no cache breakpoints.')
  if (citations?.length) losses.forgotten('turns.citations', 'The upstream takes no citations in a conversation.')
  return [{ text, ...signatureIn(opaque) }]
}

/** Thoughts go back to the model that had them; to another they mean nothing. */
function writeReasoning({ text, opaque }: ReasoningPart, { request, losses }: PartWriting): Body[] {
  const signature = signatureIn(opaque)
  const words = text.join('\n\n')
  const isSigned = Object.keys(signature).length > 0
  if (isSigned && words === '') return [{ text: '', ...signature }]
  if (words !== '' && (isSigned || request.dialect === 'gemini')) return [{ text: words, thought: true, ...signature }]
  if (words !== '' || opaque.length > 0) losses.forgotten('turns.reasoning', 'The thoughts of another model mean nothing to this one.')
  return []
}

function writeCall({ callId, name, namespace, form, argsText, opaque, path }: CallPart, { request, names, losses }: PartWriting): Body {
  if (form === 'text') losses.adapted('tools.custom', 'A tool that takes free text became a function with one text.')
  const args = form === 'text' ? { input: argsText } : parseArgs(argsText)
  if (!args) throw cannotCarry(request, 'turns', 'The arguments of a call must be a JSON object for this upstream.', path)
  return { functionCall: { id: callId, name: names.out(name, namespace), args }, ...signatureIn(opaque) }
}

function writeNative({ dialect, raw, summary }: NativePart, { losses }: PartWriting): Body[] {
  if (dialect === 'gemini') return [raw as Body]
  if (summary === undefined) losses.dropped('turns.native', 'A step of a tool that only another vendor has.')
  else losses.adapted('turns.native', 'A step of a tool that only another vendor has is told as text.')
  return summary === undefined || summary === '' ? [] : [{ text: summary }]
}

/**
 * A result as its function's response, which has to name the function. Older models take media only beside it: `media` is
 * what goes there.
 */
export function resultPart(part: ResultPart, call: CallPart | undefined, writing: PartWriting): { body: Body; media: Body[] } {
  const { target, losses, names } = writing
  if (part.cache) losses.forgotten('cache', 'The upstream takes no cache breakpoints.')
  if (part.isError && writing.request.dialect !== 'gemini') losses.adapted('result.isError', 'An error is told in the result itself.')
  const media = part.parts.flatMap((one) => (one.kind === 'media' ? writeMedia(one, writing) : []))
  const words = part.parts.flatMap((one) => (one.kind === 'text' && one.text !== '' ? [one.text] : [])).join('\n')
  const text = words !== '' || media.length > 0 ? words : '(no output)'
  const isInside = target.capabilities.olderSchema !== true
  const inside = isInside ? media.filter((one) => one.text === undefined) : []
  const response = text === '' ? {} : { [part.isError ? 'error' : 'output']: text }
  return {
    body: {
      functionResponse: {
        id: part.callId,
        name: names.out(call?.name ?? part.name ?? '', call?.namespace),
        response,
        ...(inside.length > 0 && { parts: inside }),
      },
    },
    media: media.filter((one) => !inside.includes(one)),
  }
}
