/** What the candidates of an answer say, streamed or whole: do they carry anything, how much, and are they finished. */
import { type Body, pick, pickObject, pickObjects, pickText } from '../proto-json.ts'
import type { Delivered } from '../usage.ts'

/** Candidates beyond this are counted with the first, so that no upstream can fill the memory. */
const mostCandidates = 128

export function placeOf(candidate: Body): number {
  const index = pick(candidate, 'index')
  return typeof index === 'number' && Number.isInteger(index) && index > 0 && index < mostCandidates ? index : 0
}

/** The word with which a candidate ended; undefined while it goes on. */
export function finishOf(candidate: Body): string | undefined {
  const reason = pickText(candidate, 'finishReason')
  return reason === '' || reason === 'FINISH_REASON_UNSPECIFIED' ? undefined : reason
}

/** Why the prompt was refused, in an answer without candidates. */
export function blockOf(answer: Body): string | undefined {
  const feedback = pickObject(answer, 'promptFeedback')
  const reason = feedback && pickText(feedback, 'blockReason')
  return reason === '' || reason === 'BLOCKED_REASON_UNSPECIFIED' ? undefined : reason
}

export const partsOf = (candidate: Body): Body[] => pickObjects(pickObject(candidate, 'content') ?? {}, 'parts')

/** True when a person or program would miss this answer's candidates: text, a call, a picture, any filled field, a finish. */
export function carries(answer: Body): boolean {
  if (blockOf(answer) !== undefined) return true
  return pickObjects(answer, 'candidates').some((candidate) => finishOf(candidate) !== undefined || partsOf(candidate).some(isFilled))
}

/** Flags and empty texts fill no part. */
function isFilled(part: Body): boolean {
  return Object.entries(part).some(([key, value]) => key !== 'thought' && value !== '' && value !== null && value !== undefined)
}

/** Adds what one candidate brought to the running counters. Calls count by their arguments; searches are a running total. */
export function measure(candidate: Body, delivered: Delivered): void {
  for (const part of partsOf(candidate)) {
    const text = bytes(pickText(part, 'text') ?? '', delivered)
    if (part.thought === true) delivered.reasoning += text
    else delivered.text += text + callBytes(part, delivered)
    if (pickText(pickObject(part, 'inlineData') ?? {}, 'mimeType')?.startsWith('image/')) delivered.images++
  }
  const queries = pick(pickObject(candidate, 'groundingMetadata') ?? {}, 'webSearchQueries')
  if (Array.isArray(queries)) delivered.searches = Math.max(delivered.searches, queries.length)
}

function bytes(text: string, delivered: Delivered): number {
  delivered.hear?.(text)
  return Buffer.byteLength(text)
}

function callBytes(part: Body, delivered: Delivered): number {
  const call = pickObject(part, 'functionCall')
  if (!call) return 0
  const whole = pickObject(call, 'args')
  return bytes(JSON.stringify(whole ?? pick(call, 'partialArgs') ?? '') ?? '', delivered)
}
