/** Parts of a request in Gemini's form. */
import type { CallPart, NativePart, Part, ReasoningPart, RefusalPart, ResultPart, TextPart } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, leavesOut, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import type { ToolNames } from '#protocols/codec/tool-names'
import type { Body } from '../proto-json.ts'
import { parseArgs, signatureIn } from './part.ts'
import type { RequestContext } from './request-write-context.ts'
import { writeMedia } from './request-write-media.ts'

/** The state of writing the parts of one request. */
export interface PartContext extends RequestContext {
  names: ToolNames
}

/** The parts that a part becomes: none, one, or several. Results are written by `resultPart`, with their calls at hand. */
export function writePart(part: Part, writing: PartContext): Body[] {
  switch (part.kind) {
    case 'text':
      return [writeFields(part, textWriters, writing)]
    case 'refusal': {
      const written = writeFields(part, refusalWriters, writing)
      return part.text === '' ? [] : [written]
    }
    case 'reasoning':
      return writeReasoning(part, writing)
    case 'call':
      return [writeFields(part, callWriters, writing)]
    case 'media':
      return writeMedia(part, writing)
    case 'native':
      return writeNative(part, writing)
    case 'result':
      return []
  }
}

const textWriters: FieldWriters<TextPart, PartContext> = {
  kind: notNeeded,
  text: (text) => ({ text }),
  phase: leavesOut('turns.phase', 'The upstream does not distinguish commentary from answers.'),
  cache: leavesOut('cache', 'The upstream takes no cache breakpoints.'),
  citations(citations, { losses }) {
    if (citations.length > 0) losses.leftOut('turns.citations', 'The upstream takes no citations in a conversation.')
  },
  opaque: signatureIn,
}

const refusalWriters: FieldWriters<RefusalPart, PartContext> = {
  kind(_, { losses }) {
    losses.adapted('turns.refusal', 'The upstream has no refusals: the refusal became text.')
  },
  text: (text) => ({ text }),
}

const reasoningWriters: FieldWriters<ReasoningPart, PartContext> = {
  text(segments) {
    const text = segments.join('\n\n')
    return { text, ...(text !== '' && { thought: true }) }
  },
  opaque: signatureIn,
  // How much of a thought was shown makes no difference to its model.
  form: notNeeded,
  kind: notNeeded,
}

/** Reasoning is sent back to its own model; it is meaningless for another one. */
function writeReasoning(part: ReasoningPart, writing: PartContext): Body[] {
  const { request, losses } = writing
  const written = writeFields(part, reasoningWriters, writing)
  const hasWords = written.text !== ''
  if (written.thoughtSignature !== undefined || (hasWords && request.dialect === 'gemini')) return [written]
  if (hasWords || part.opaque.length > 0) losses.leftOut('turns.reasoning', 'The thoughts of another model mean nothing to this one.')
  return []
}

const callWriters: FieldWriters<CallPart, PartContext> = {
  argsText(argsText, { request, names, losses }, { callId, name, namespace, form, path }) {
    if (form === 'text') losses.adapted('tools.custom', 'A tool that takes free text became a function with one text parameter.')
    const args = form === 'text' ? { input: argsText } : parseArgs(argsText)
    if (!args) throw cannotCarry(request, 'turns', 'The arguments of a call must be a JSON object for this upstream.', path)
    return { functionCall: { id: callId, name: names.out(name, namespace), args } }
  },
  callId: writtenElsewhere,
  name: writtenElsewhere,
  namespace: writtenElsewhere,
  form: writtenElsewhere,
  opaque: signatureIn,
  // For refusals only.
  path: notNeeded,
  kind: notNeeded,
}

const nativeWriters: FieldWriters<NativePart, PartContext> = {
  kind: notNeeded,
  dialect: writtenElsewhere,
  raw: (raw, _, { dialect }) => (dialect === 'gemini' ? (raw as Body) : undefined),
  summary(text, { losses }, { dialect }) {
    if (dialect === 'gemini') return undefined
    losses.adapted('turns.native', 'A step of another vendor’s own tool became text.')
    return text === '' ? undefined : { text }
  },
  // Is in `raw`; the envelope of another vendor's state is opened before a codec sees it.
  opaque: notNeeded,
}

function writeNative(part: NativePart, writing: PartContext): Body[] {
  const written = writeFields(part, nativeWriters, writing)
  if (part.dialect === 'gemini') return [written]
  if (part.summary === undefined) writing.losses.dropped('turns.native', 'A step of another vendor’s own tool cannot be expressed here.')
  return written.text === undefined ? [] : [written]
}

interface ResultWriting extends PartContext {
  call: CallPart | undefined
  /** Media inside the response. */
  media: readonly Body[]
  text: string
}

const resultWriters: FieldWriters<ResultPart, ResultWriting> = {
  kind: notNeeded,
  callId: (id, { call, names }, { name = '' }) => ({ id, name: call ? names.out(call.name, call.namespace) : names.out(name) }),
  name: writtenElsewhere,
  parts: (_, { media, text }, { isError }) => ({
    response: text === '' ? {} : { [isError ? 'error' : 'output']: text },
    ...(media.length > 0 && { parts: media }),
  }),
  isError(isError, { request, losses }) {
    if (isError && request.dialect !== 'gemini') losses.adapted('result.isError', 'The error is in the result itself.')
  },
  cache: leavesOut('cache', 'The upstream takes no cache breakpoints.'),
  // A result is text here, whatever the tool takes.
  form: notNeeded,
}

/** A result as its function's response, which has to name the function. Older models only take media next to it: `media`. */
export function resultPart(part: ResultPart, call: CallPart | undefined, writing: PartContext): { body: Body; media: Body[] } {
  const { target } = writing
  const media = part.parts.flatMap((one) => (one.kind === 'media' ? writeMedia(one, writing) : []))
  if (part.parts.some((one) => one.kind === 'text' && one.cache))
    writing.losses.leftOut('cache', 'The upstream takes no cache breakpoints.')
  const words = part.parts.flatMap((one) => (one.kind === 'text' && one.text !== '' ? [one.text] : [])).join('\n')
  const text = words !== '' || media.length > 0 ? words : '(no output)'
  const inside = target.capabilities.olderSchema === true ? [] : media.filter((one) => one.text === undefined)
  const functionResponse = writeFields(part, resultWriters, { ...writing, call, media: inside, text })
  return { body: { functionResponse }, media: media.filter((one) => !inside.includes(one)) }
}
