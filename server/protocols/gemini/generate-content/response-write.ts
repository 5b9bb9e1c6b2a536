/** A canonical response as the whole answer that a Gemini client expects. */
import type { CodecContext } from '#canonical/codec'
import type {
  CallPart,
  Choice,
  Citation,
  ConversationRequest,
  ConversationResponse,
  MediaPart,
  NativePart,
  Part,
  ReasoningPart,
  RefusalPart,
  TextPart,
} from '#canonical/conversation'
import type { Loss, LossList } from '#canonical/loss'
import { type FieldWriters, lossList, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import type { Body } from '../proto-json.ts'
import { writeUsage } from '../usage.ts'
import { type PlacedSource, type TextPositions, textPositions, writeGrounding } from './citations.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { inlineData, parseArgs, showsThoughts, signatureIn, signedPart, writeCall } from './part.ts'

/** The context of writing a candidate, whole or streamed. */
export interface CandidateContext {
  showsThoughts: boolean
  ruler: TextPositions
  sources: PlacedSource[]
  losses: LossList
}

interface ResponseContext {
  asked: ConversationRequest
  codecContext: CodecContext
  losses: LossList
}

/** The body with the model name that the client asked for, and the losses of the answer. */
export function writeResponse(
  response: ConversationResponse,
  asked: ConversationRequest,
  codecContext: CodecContext,
): { body: string; losses: readonly Loss[] } {
  const losses = lossList()
  const body = writeFields(response, responseWriters, { asked, codecContext, losses })
  return { body: JSON.stringify(body), losses: losses.losses }
}

const responseWriters: FieldWriters<ConversationResponse, ResponseContext> = {
  choices: (choices, answering) => ({ candidates: choices.map((choice) => writeCandidate(choice, answering)) }),
  usage: (usage) => ({ usageMetadata: writeUsage(usage) }),
  model: (_, { asked }) => ({ modelVersion: asked.model }),
  id: (id, { codecContext }) => ({ responseId: id || codecContext.id('resp_') }),
  // Answers of this dialect have no date and no tier.
  created: notNeeded,
  tier: notNeeded,
}

const writeCandidate = (choice: Choice, { asked, losses }: ResponseContext): Body =>
  writeFields(choice, choiceWriters, { showsThoughts: showsThoughts(asked), ruler: textPositions(true), sources: [], losses })

const choiceWriters: FieldWriters<Choice, CandidateContext> = {
  parts(parts, writing, { finish, index }) {
    const content = { parts: parts.flatMap((part) => writePart(part, writing)), role: 'model' }
    // The sources of all parts are known now.
    const groundingMetadata = writeGrounding(writing.sources)
    return { content, finishReason: writeFinish(finish), index, ...(groundingMetadata && { groundingMetadata }) }
  },
  finish: writtenElsewhere,
  index: writtenElsewhere,
  logprobs: (logprobs) => ({ logprobsResult: writeLogprobs(logprobs) }),
}

function writePart(part: Part, writing: CandidateContext): Body[] {
  switch (part.kind) {
    case 'text':
      return filled(writeFields(part, textWriters, writing))
    case 'refusal':
      return filled(writeFields(part, refusalWriters, writing))
    case 'reasoning':
      return writeReasoning(part, writing)
    case 'call':
      return [writeFields(part, callWriters, writing)]
    case 'media':
      return writeMedia(part, writing)
    case 'native':
      return writeNative(part, writing)
    case 'result':
      writing.losses.dropped('response.parts', 'An answer cannot contain a tool result.')
      return []
  }
}

/** Empty parts are left out. */
const filled = (part: Body): Body[] => (part.text === '' && part.thoughtSignature === undefined ? [] : [part])

const textWriters: FieldWriters<TextPart, CandidateContext> = {
  text(text, writing, { citations = [] }) {
    const base = writing.ruler.units
    writing.ruler.add(text)
    for (const citation of citations) cite(citation, base, writing)
    return { text }
  },
  citations: writtenElsewhere,
  opaque: signatureIn,
  // Only Responses distinguishes remarks from the answer.
  phase: notNeeded,
  // Only requests have breakpoints.
  cache: notNeeded,
  kind: notNeeded,
}

const refusalWriters: FieldWriters<RefusalPart, CandidateContext> = {
  text(text, { ruler, losses }) {
    refusalAsText(losses)
    ruler.add(text)
    return { text }
  },
  kind: notNeeded,
}

const reasoningWriters: FieldWriters<ReasoningPart, CandidateContext> = {
  text: (segments) => ({ text: segments.join('\n\n'), thought: true }),
  opaque: signatureIn,
  // Whether to show a thought is the client's choice: writeReasoning.
  form: notNeeded,
  kind: notNeeded,
}

function writeReasoning(part: ReasoningPart, writing: CandidateContext): Body[] {
  const isShown = writing.showsThoughts && part.text.join('\n\n') !== ''
  return isShown ? [writeFields(part, reasoningWriters, writing)] : signedPart(part.opaque)
}

const callWriters: FieldWriters<CallPart, CandidateContext> = {
  argsText: (_, { losses }, call) => calling(call, losses),
  callId: writtenElsewhere,
  name: writtenElsewhere,
  form: writtenElsewhere,
  opaque: writtenElsewhere,
  // Clients of this dialect have no namespaces.
  namespace: notNeeded,
  path: notNeeded,
  kind: notNeeded,
}

/** Records that a refusal has to be written as text. */
export const refusalAsText = (losses: LossList) =>
  losses.adapted('response.refusal', 'This dialect has no refusals: the refusal became text.')

/** The part for a call, with its signature. */
export function calling(call: Omit<CallPart, 'kind'>, losses: LossList): Body {
  if (call.form === 'json' && !parseArgs(call.argsText))
    losses.adapted('response.call.arguments', 'The model wrote arguments that are not a JSON object.')
  return writeCall(call)
}

/** Stores a source of the text that begins at `base` for the end of the answer. */
export function cite(citation: Citation, base: number, { ruler, sources, losses }: CandidateContext): void {
  const { url, start, end } = citation
  if (url === undefined) {
    losses.leftOut('response.citations', 'Only web sources can be expressed here.')
    return
  }
  const [from, to] = [start, end].map((unit) => (unit === undefined ? undefined : ruler.toBytes(base + unit)))
  const bytes = from === undefined || to === undefined ? undefined : { start: from, end: to }
  if (!bytes && start !== undefined && end !== undefined)
    losses.leftOut('response.citations.range', 'Positions are counted in bytes, which a stream only knows for ASCII.')
  sources.push({ citation, bytes })
}

const mediaWriters: FieldWriters<MediaPart, CandidateContext> = {
  source(source, { losses }, { mimeType }) {
    if ('data' in source) return inlineData(mimeType, source.data)
    if ('url' in source) return { fileData: { ...(mimeType !== undefined && { mimeType }), fileUri: source.url } }
    losses.dropped('response.media', 'A file of another vendor cannot be read here.')
    return undefined
  },
  mimeType: writtenElsewhere,
  transcript(_, { losses }, { source }) {
    if ('data' in source) losses.leftOut('response.media.transcript', 'Audio has no transcript in this dialect.')
  },
  opaque: (opaque, _, { source }) => ('data' in source ? signatureIn(opaque) : undefined),
  // Implied by the MIME type.
  media: notNeeded,
  kind: notNeeded,
  // Only requests have these.
  name: notNeeded,
  title: notNeeded,
  detail: notNeeded,
  cache: notNeeded,
  extra: notNeeded,
  path: notNeeded,
}

/** The parts for media; media with only a transcript becomes text. */
export function writeMedia(part: MediaPart, writing: CandidateContext): Body[] {
  const { source, transcript } = part
  const words = 'text' in source ? source.text : 'fileId' in source ? transcript : undefined
  if (words !== undefined) return filled(writeFields({ kind: 'text', text: words }, textWriters, writing))
  const written = writeFields(part, mediaWriters, writing)
  return Object.keys(written).length > 0 ? [written] : []
}

const nativeWriters: FieldWriters<Omit<NativePart, 'kind'>, CandidateContext> = {
  raw: (raw, _, { dialect }) => (dialect === 'gemini' ? (raw as Body) : undefined),
  dialect: writtenElsewhere,
  summary(text, { ruler, losses }, { dialect }) {
    if (dialect === 'gemini') return undefined
    losses.adapted('response.native', 'A step of another vendor’s own tool became text.')
    ruler.add(text)
    return text === '' ? undefined : { text }
  },
  // Is in `raw`.
  opaque: notNeeded,
}

/** The part for a block of one dialect: unchanged, or as text. */
export function writeNative(part: Omit<NativePart, 'kind'>, writing: CandidateContext): Body[] {
  const written = writeFields(part, nativeWriters, writing)
  if (part.dialect === 'gemini') return [written]
  if (part.summary === undefined) writing.losses.dropped('response.native', 'A step of another vendor’s own tool cannot be expressed here.')
  return written.text === undefined ? [] : [written]
}
