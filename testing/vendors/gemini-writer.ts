/** Writes the answers of the scripted Gemini vendor: whole, and as the chunks of its stream. */
import type { Ending, Reply, Tokens } from './scenarios.ts'
import type { Frame } from './vendor-play.ts'

/** What an answer needs besides the reply. */
export interface GeminiWritten {
  model: string
  id: string
  /** Whether thoughts are included. */
  visible: boolean
  /** Attached to the first call, or to the last text of an answer with thoughts. */
  signature: string
}

const reasons: Record<Ending, string> = { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', refusal: 'STOP', filter: 'SAFETY' }
const ratings = [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }]

/** Prompt tokens include cached ones; output tokens exclude thoughts. */
function usageOf({ fresh, cacheRead, cacheWrite, out, reasoning }: Tokens) {
  const prompt = fresh + cacheRead + cacheWrite
  return {
    promptTokenCount: prompt,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    candidatesTokenCount: out - reasoning,
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    totalTokenCount: prompt + out,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  }
}

const around = (reply: Reply, { model, id }: GeminiWritten) => ({
  usageMetadata: usageOf(reply.usage),
  modelVersion: model,
  createTime: '2026-01-01T00:00:00Z',
  responseId: id,
})

const candidate = (parts: object[], finish: object = {}) => ({ candidates: [{ content: { parts, role: 'model' }, ...finish, index: 0 }] })

/** A blocked prompt: status 200 and no candidate. */
const blocked = (reply: Reply, written: GeminiWritten) => ({
  promptFeedback: { blockReason: 'PROHIBITED_CONTENT', safetyRatings: ratings },
  ...around({ ...reply, usage: { ...reply.usage, out: 0, reasoning: 0 } }, written),
})

const finishOf = ({ ending }: Reply) => ({ finishReason: reasons[ending], ...(ending === 'filter' && { safetyRatings: ratings }) })

const callParts = (reply: Reply, signature: string) =>
  reply.calls.map(({ name, args }, index) => ({ functionCall: { name, args }, ...(index === 0 && { thoughtSignature: signature }) }))

/** An answer that is not streamed. */
export function wholeGemini(reply: Reply, written: GeminiWritten) {
  if (reply.ending === 'refusal') return blocked(reply, written)
  const text = reply.text.join('')
  const parts = [
    ...(written.visible && reply.thought.length > 0 ? [{ text: reply.thought.join(''), thought: true }] : []),
    ...(text === '' ? [] : [{ text, ...(reply.thought.length > 0 && { thoughtSignature: written.signature }) }]),
    ...callParts(reply, written.signature),
  ]
  return { ...candidate(parts, finishOf(reply)), ...around(reply, written) }
}

/** The chunks as values, to be sent in `data:` fields or in an array. */
export function* geminiChunks(reply: Reply, written: GeminiWritten): Generator<{ value: object; content?: boolean }> {
  if (reply.ending === 'refusal') return yield { value: blocked(reply, written) }
  const running = around({ ...reply, usage: { ...reply.usage, out: reply.usage.reasoning } }, written)
  const piece = (parts: object[]) => ({ value: { ...candidate(parts), ...running }, content: true })
  if (written.visible) for (const text of reply.thought) yield piece([{ text, thought: true }])
  for (const text of reply.text) yield piece([{ text }])
  const [first, ...others] = callParts(reply, written.signature)
  if (first !== undefined) yield piece([first])
  if (others.length > 0) yield piece(others)
  // The signature of a text answer comes last, on a part without text.
  const signed = first === undefined && reply.thought.length > 0 ? { thoughtSignature: written.signature } : {}
  yield { value: { ...candidate([{ text: '', ...signed }], finishOf(reply)), ...around(reply, written) } }
}

/** One event of a stream. */
export const geminiFrame = (value: object, content = false): Frame => ({ text: `data: ${JSON.stringify(value)}\r\n\r\n`, content })
