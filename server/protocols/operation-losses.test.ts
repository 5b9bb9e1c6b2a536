/** In operations other than generation, extra fields of upstream answers are reported. */
import { expect, test } from 'bun:test'
import type { Incoming } from '#canonical/operation/operation'
import type { SideOperation, Style } from '#shared/ids'
import { noMemo, testPen } from '#testing/conversions/codec-runs'
import { named } from '#testing/conversions/conversation'
import { conversationCodecs } from './index.ts'
import { operationCodecs } from './operations.ts'

/** The losses of an answer to this question, sent to the endpoint of one style and answered by an upstream of another one. */
function lossesOf(operation: SideOperation, [from, to]: [Style, Style], asked: Incoming, answer: object): string[] {
  const [endpoint, upstream] = [operationCodecs[operation][from], operationCodecs[operation][to]]
  if (!endpoint || !('readQuestion' in endpoint) || !upstream || !('readAnswer' in upstream)) throw new Error('There are no such styles.')
  const { losses = [] } = upstream.readAnswer([JSON.stringify(answer)], endpoint.readQuestion(asked), endpoint.readHead(asked))
  return named(losses)
}

const embed = JSON.stringify({ model: 'm', input: 'Hello' })
const picture = JSON.stringify({ model: 'm', prompt: 'A house' })
const rank = JSON.stringify({ model: 'm', query: 'Where?', documents: ['Here.'] })
const png = { inlineData: { mimeType: 'image/png', data: 'iVBORw==' } }

// ai.google.dev/api/embeddings and the types of @google/genai: `ContentEmbedding`. Vertex: "Text embeddings API", `statistics`.
test('of vectors: fields beside them, and that a text was truncated', () => {
  const gemini = { embeddings: [{ values: [0.5], statistics: { truncated: true } }], metadata: { billableCharacterCount: 5 } }
  expect(lossesOf('embed', ['openai', 'gemini'], embed, gemini)).toEqual(['embeddings[0].statistics:dropped!', 'metadata:dropped!'])
  const vertex = (truncated: boolean) => ({ predictions: [{ embeddings: { values: [0.5], statistics: { truncated, token_count: 2 } } }] })
  expect(lossesOf('embed', ['openai', 'vertex'], embed, vertex(true))).toEqual(['input:adapted!'])
  expect(lossesOf('embed', ['openai', 'vertex'], embed, vertex(false))).toEqual([])
})

// ai.google.dev, "Image generation": models that also talk; Imagen's `raiFilteredReason` (docs of Vertex AI).
test('of pictures: the words beside one, why the answer ended early, and which were filtered out', () => {
  const parts = [{ text: 'Here it is.' }, { text: 'Hm.', thought: true }, png]
  const answer = (finishReason: string) => ({ candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }] })
  const words = 'candidates[0].content.parts[0].text:dropped!'
  expect(lossesOf('image', ['openai', 'gemini'], picture, answer('STOP'))).toEqual([words])
  expect(lossesOf('image', ['openai', 'gemini'], picture, answer('MAX_TOKENS'))).toEqual([words, 'finish:adapted!'])
  const imagen = { predictions: [{ bytesBase64Encoded: 'iVBORw==', mimeType: 'image/png' }, { raiFilteredReason: 'no' }] }
  expect(lossesOf('image', ['openai', 'gemini'], picture, imagen)).toEqual(['predictions[1].raiFilteredReason:dropped!'])
})

// docs.cohere.com/reference/rerank: `meta.warnings`.
test('of a ranking: warnings, and fields of documents that do not count', () => {
  const answer = { id: 'r', results: [{ index: 0, relevance_score: 0.5 }], meta: { api_version: { version: '2' }, warnings: ['old'] } }
  expect(lossesOf('rerank', ['jina', 'cohere'], rank, answer)).toEqual(['meta.warnings:dropped!'])
  const { jina } = operationCodecs.rerank
  for (const style of ['cohere', 'voyage'] as const) {
    const upstream = operationCodecs.rerank[style]
    if (!jina || !('readQuestion' in jina) || !upstream || !('writeQuestion' in upstream)) throw new Error('There is no such style.')
    const lost = (documents: unknown[]) => {
      const question = jina.readQuestion(JSON.stringify({ model: 'm', query: 'q', documents }))
      return named(upstream.writeQuestion(question, { model: 'm', capabilities: {}, stream: false }).losses)
    }
    expect(lost(['a', { text: 'b' }])).toEqual([])
    expect(lost([{ text: 'b', title: 'B' }])).toEqual(['rerank.documents:dropped'])
  }
})

// platform.openai.com, "Predicted Outputs": the figures that say what of a prediction was used.
test('of a prediction: how much was used, where something was', () => {
  const usage = (accepted_prediction_tokens: number) => ({
    prompt_tokens: 3,
    completion_tokens: 9,
    completion_tokens_details: { accepted_prediction_tokens, rejected_prediction_tokens: 0 },
  })
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
  const read = (tokens: number) =>
    named(conversationCodecs.chat.readResponse(JSON.stringify({ id: 'c', choices, usage: usage(tokens) }), noMemo, testPen()).losses ?? [])
  expect(read(0)).toEqual([])
  expect(read(5)).toEqual(['usage.completion_tokens_details.accepted_prediction_tokens:dropped'])
})
