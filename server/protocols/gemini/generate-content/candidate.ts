/** What the candidates of an answer say, streamed or whole: do they carry anything, how much, and are they finished. */
import { soundTokens, textBytes } from '#canonical/delivered'
import { type Body, pick, pickObject, pickObjects, pickText } from '../proto-json.ts'
import type { Delivered } from '../usage.ts'

/** Candidates beyond this are counted with the first, so that no upstream can fill the memory. */
const mostCandidates = 128

export function placeOf(candidate: Body): number {
  const index = pick(candidate, 'index')
  return typeof index === 'number' && Number.isInteger(index) && index > 0 && index < mostCandidates ? index : 0
}

/** The word with which a candidate ended; undefined while it goes on. */
export const finishOf = (candidate: Body): string | undefined => finishWord(pickText(candidate, 'finishReason'))

/** A `finishReason` that means something. */
export const finishWord = (reason: string | undefined): string | undefined =>
  reason === '' || reason === 'FINISH_REASON_UNSPECIFIED' ? undefined : reason

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

/** Adds what one candidate brought to the running counters. Calls count by their names and arguments; searches are a running total. */
export function measure(candidate: Body, delivered: Delivered): void {
  for (const part of partsOf(candidate)) {
    const text = textBytes(pickText(part, 'text'), delivered)
    if (part.thought === true) delivered.reasoning += text
    else delivered.text += text + callBytes(part, delivered)
    measureData(pickObject(part, 'inlineData'), delivered)
  }
  const queries = pick(pickObject(candidate, 'groundingMetadata') ?? {}, 'webSearchQueries')
  if (Array.isArray(queries)) delivered.searches = Math.max(delivered.searches, queries.length)
}

function measureData(data: Body | undefined, delivered: Delivered): void {
  const type = (data && pickText(data, 'mimeType')) ?? ''
  if (type.startsWith('image/')) delivered.images++
  if (data && type.startsWith('audio/')) delivered.sound += soundTokens(pickText(data, 'data') ?? '', type)
}

/** Calls of tools, and code that the model runs itself. */
function callBytes(part: Body, delivered: Delivered): number {
  const code = textBytes(pickText(pickObject(part, 'executableCode') ?? {}, 'code'), delivered)
  const call = pickObject(part, 'functionCall')
  if (!call) return code
  const args = pickObject(call, 'args') ?? pick(call, 'partialArgs')
  return code + textBytes(pickText(call, 'name'), delivered) + textBytes(args && JSON.stringify(args), delivered)
}
