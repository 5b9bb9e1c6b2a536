/** Answers by generateContent of which only pictures or audio are used: everything else is reported as a loss. */
import { joinLosses, type Loss } from '#canonical/loss'
import { lossList } from '#protocols/codec/field-writers'
import { knownFields, lossesIn } from '#protocols/codec/known-fields'
import { isObject } from '#shared/json'
import { finishOf } from './generate-content/response-meter.ts'
import { type Body, pick, pickObject, pickObjects } from './proto-json.ts'

const part = knownFields('inlineData inline_data thought thoughtSignature thought_signature')
const known = knownFields('usageMetadata modelVersion responseId createTime', {
  // Its own figures; the usage includes them all.
  candidates: knownFields('index finishReason tokenCount avgLogprobs', { content: knownFields('role', { parts: part }) }),
})

/** The losses of an answer whose pictures or audio are read. Unrequested reasoning is not a loss. */
export function lossesBesideMedia(answer: Body): readonly Loss[] {
  const candidates = pickObjects(answer, 'candidates').map((candidate) => {
    const content = pickObject(candidate, 'content')
    return content ? { ...candidate, content: { ...content, parts: wanted(pick(content, 'parts')) } } : candidate
  })
  const losses = lossList()
  for (const reason of candidates.map(finishOf))
    if (reason !== undefined && reason !== 'STOP')
      losses.altered('finish', 'The upstream ended its answer early; the client gets what it made.')
  return joinLosses(lossesIn([{ ...answer, ...(candidates.length > 0 && { candidates }) }], known), losses.losses)
}

const wanted = (parts: unknown): unknown[] => (Array.isArray(parts) ? parts.filter((one) => isObject(one) && one.thought !== true) : [])
