/** A canonical response as the whole answer that a Gemini client expects. */
import type { Pen } from '#canonical/codec'
import type {
  CallPart,
  Choice,
  Citation,
  ConversationRequest,
  ConversationResponse,
  MediaPart,
  NativePart,
  Part,
  TextPart,
} from '#canonical/conversation'
import { type Loss, type LossList, lossList } from '#canonical/loss'
import type { Body } from '../proto-json.ts'
import { writeUsage } from '../usage.ts'
import { type Sourced, writeGrounding } from './citation.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { signatureIn } from './part.ts'
import { inlineData, parseArgs, showsThoughts, signedPart, writeCall } from './part-write.ts'
import { createRuler, type Ruler } from './ruler.ts'

/** What a candidate needs while it is written, whole or streamed. */
export interface Writing {
  showsThoughts: boolean
  ruler: Ruler
  sources: Sourced[]
  losses: LossList
}

export function writeResponse(
  response: ConversationResponse,
  asked: ConversationRequest,
  pen: Pen,
): { body: string; losses: readonly Loss[] } {
  const losses = lossList()
  const candidates = response.choices.map((choice) => writeCandidate(choice, asked, losses))
  const body = {
    candidates,
    usageMetadata: writeUsage(response.usage),
    modelVersion: asked.model,
    responseId: response.id || pen.id('resp_'),
  }
  return { body: JSON.stringify(body), losses: losses.losses }
}

function writeCandidate({ index, parts, finish, logprobs }: Choice, asked: ConversationRequest, losses: LossList): Body {
  const writing: Writing = { showsThoughts: showsThoughts(asked), ruler: createRuler(true), sources: [], losses }
  const written = parts.flatMap((part) => writePart(part, writing))
  const groundingMetadata = writeGrounding(writing.sources)
  return {
    content: { parts: written, role: 'model' },
    finishReason: writeFinish(finish),
    index,
    ...(groundingMetadata && { groundingMetadata }),
    ...(logprobs && { logprobsResult: writeLogprobs(logprobs) }),
  }
}

function writePart(part: Part, writing: Writing): Body[] {
  const { losses } = writing
  switch (part.kind) {
    case 'text':
      return writeText(part, writing)
    case 'refusal':
      saidRefusal(losses)
      return writeText({ kind: 'text', text: part.text }, writing)
    case 'reasoning': {
      const text = part.text.join('\n\n')
      if (text === '' || !writing.showsThoughts) return signedPart(part.opaque)
      return [{ text, thought: true, ...signatureIn(part.opaque) }]
    }
    case 'call':
      return [calling(part, losses)]
    case 'media':
      return writeMedia(part, writing)
    case 'native':
      return writeNative(part, writing)
    case 'result':
      losses.dropped('response.parts', 'A result of a tool has no place in an answer.')
      return []
  }
}

function writeText({ text, citations = [], opaque }: TextPart, writing: Writing): Body[] {
  const base = writing.ruler.units
  writing.ruler.add(text)
  for (const citation of citations) cite(citation, base, writing)
  const signature = signatureIn(opaque)
  return text === '' && Object.keys(signature).length === 0 ? [] : [{ text, ...signature }]
}

export const saidRefusal = (losses: LossList) =>
  losses.adapted('response.refusal', 'This dialect has no place for a refusal: its words are text.')

export function calling(call: Omit<CallPart, 'kind'>, losses: LossList): Body {
  if (call.form === 'json' && !parseArgs(call.argsText))
    losses.adapted('response.call.arguments', 'The model wrote arguments that are no JSON object.')
  return writeCall(call)
}

/** Keeps a source of the text that begins at `base` for the end of the answer. */
export function cite(citation: Citation, base: number, { ruler, sources, losses }: Writing): void {
  const { url, start, end } = citation
  if (url === undefined) {
    losses.forgotten('response.citations', 'Only sources on the web have a place here.')
    return
  }
  const [from, to] = [start, end].map((unit) => (unit === undefined ? undefined : ruler.toBytes(base + unit)))
  const bytes = from === undefined || to === undefined ? undefined : { start: from, end: to }
  if (!bytes && start !== undefined && end !== undefined)
    losses.forgotten('response.citations.range', 'Places are counted in bytes, which a stream knows only of ASCII.')
  sources.push({ citation, bytes })
}

export function writeMedia({ source, mimeType, transcript, opaque }: MediaPart, writing: Writing): Body[] {
  if (transcript !== undefined && 'data' in source)
    writing.losses.forgotten('response.media.transcript', 'Sound has no transcript beside it here.')
  if ('data' in source) return [{ ...inlineData(mimeType, source.data), ...signatureIn(opaque) }]
  if ('url' in source) return [{ fileData: { ...(mimeType !== undefined && { mimeType }), fileUri: source.url } }]
  const text = 'text' in source ? source.text : transcript
  if (text !== undefined) return writeText({ kind: 'text', text }, writing)
  writing.losses.dropped('response.media', 'A file of another vendor cannot be read here.')
  return []
}

export function writeNative({ dialect, raw, summary }: Omit<NativePart, 'kind'>, writing: Writing): Body[] {
  if (dialect === 'gemini') return [raw as Body]
  if (summary === undefined) {
    writing.losses.dropped('response.native', 'A step of a tool that only another vendor has.')
    return []
  }
  writing.losses.adapted('response.native', 'A step of a tool that only another vendor has is told as text.')
  return writeText({ kind: 'text', text: summary }, writing)
}
