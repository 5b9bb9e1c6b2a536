/** Sources and reasoning in vendor-specific fields reach clients of every dialect, whole and streamed. */
import { expect, test } from 'bun:test'
import type { Citation, Part } from '#canonical/conversation'
import { gathered } from '#canonical/response-events'
import type { Dialect } from '#shared/ids'
import { eventsOf, noMemo, testPen } from '#testing/conversions/codec-runs'
import { conversationCodecs } from './index.ts'

const whole = (dialect: Dialect, body: object) => conversationCodecs[dialect].readResponse(JSON.stringify(body), noMemo, testPen())
const streamed = (dialect: Dialect, frames: object[]) => {
  const bytes = Buffer.from(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''))
  return gathered(eventsOf(conversationCodecs[dialect], [bytes]))
}
const sourcesIn = (parts: readonly Part[] = []): Citation[] => parts.flatMap((part) => (part.kind === 'text' ? (part.citations ?? []) : []))

// docs.perplexity.ai, "Chat Completions": `search_results` and the older `citations` are next to the choices.
test('Perplexity lists its sources beside the choices', () => {
  const beside = {
    citations: ['https://a.example/', 'https://b.example/'],
    search_results: [{ title: 'A', url: 'https://a.example/', date: '2026-01-01' }],
  }
  const expected: Citation[] = [
    { kind: 'web', url: 'https://a.example/', title: 'A' },
    { kind: 'web', url: 'https://b.example/' },
  ]
  const message = { role: 'assistant', content: 'Yes [1][2].' }
  const answer = whole('chat', { id: 'c', model: 'sonar', choices: [{ index: 0, message, finish_reason: 'stop' }], ...beside })
  expect([sourcesIn(answer.choices[0]?.parts), answer.losses]).toEqual([expected, undefined])
  const chunks = [
    { id: 'c', choices: [{ index: 0, delta: { content: 'Yes ' } }], ...beside },
    { id: 'c', choices: [{ index: 0, delta: { content: '[1][2].' }, finish_reason: 'stop' }], ...beside },
  ]
  expect(sourcesIn(streamed('chat', chunks).choices[0]?.parts)).toEqual(expected)
})

// docs.mistral.ai, "Reasoning": the content is a list with a part `thinking`.
test('Magistral thinks in a part of its content', () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
    { type: 'text', text: 'Yes.' },
  ]
  const expected = [
    { kind: 'reasoning', form: 'full', text: ['Hm.'] },
    { kind: 'text', text: 'Yes.' },
  ]
  const answer = whole('chat', { id: 'c', choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] })
  expect(answer.choices[0]?.parts).toMatchObject(expected)
  expect(answer.losses).toBeUndefined()
  const chunks = content.map((part) => ({ id: 'c', choices: [{ index: 0, delta: { content: [part] } }] }))
  const last = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  expect(streamed('chat', [...chunks, last]).choices[0]?.parts).toMatchObject(expected)
})

// ai.google.dev, "Grounding": a chunk is `web`, `maps`, `retrievedContext` or `image`.
test('Gemini grounds in maps and documents, and an unknown kind of source is reported', () => {
  const grounded = (groundingChunks: object[]) => ({
    candidates: [{ index: 0, content: { parts: [{ text: 'Yes.' }] }, finishReason: 'STOP', groundingMetadata: { groundingChunks } }],
  })
  const chunks = [
    { maps: { uri: 'https://maps.google.com/?cid=1', title: 'M', placeId: 'p' } },
    { retrievedContext: { uri: 'gs://bucket/a.pdf', title: 'D' } },
  ]
  const expected: Citation[] = [
    { kind: 'web', url: 'https://maps.google.com/?cid=1', title: 'M' },
    { kind: 'document', title: 'D' },
  ]
  expect(sourcesIn(whole('gemini', grounded(chunks)).choices[0]?.parts)).toEqual(expected)
  expect(sourcesIn(streamed('gemini', [grounded(chunks)]).choices[0]?.parts)).toEqual(expected)
  const { losses } = whole('gemini', grounded([{ later: { uri: 'x' } }]))
  expect(losses?.map(({ field }) => field)).toEqual(['candidates[0].groundingMetadata.groundingChunks[0].later'])
})

// ai.google.dev, "Grounding": `GroundingChunkMaps` has the place, `GroundingSupport` scores; Vertex names the domain of each page.
test('other fields of Gemini sources than address and title are reported once, however many sources have them', () => {
  const place = { uri: 'https://maps.google.com/?cid=1', title: 'M', placeId: 'p', route: { duration: '1s' } }
  const groundingMetadata = {
    webSearchQueries: ['q'],
    groundingChunks: [{ maps: place }, { maps: place }, { web: { uri: 'https://a.example/', title: 'A', domain: 'a.example' } }],
    groundingSupports: [{ segment: { endIndex: 3 }, groundingChunkIndices: [2], confidence_scores: [0.5] }],
  }
  const citationMetadata = { citations: [{ uri: 'https://b.example/', license: 'mit', endIndex: 3 }] }
  const candidate = { index: 0, content: { parts: [{ text: 'Yes.' }] }, finishReason: 'STOP', groundingMetadata, citationMetadata }
  const { losses } = whole('gemini', { candidates: [candidate] })
  expect(losses?.map(({ field, meaning }) => [field, meaning])).toEqual(
    [
      'response.groundingMetadata.webSearchQueries',
      'response.groundingMetadata.groundingChunks.maps.placeId',
      'response.groundingMetadata.groundingChunks.maps.route',
      'response.groundingMetadata.groundingSupports.confidenceScores',
      'response.citationMetadata.citations.license',
    ].map((field) => [field, false]),
  )
})
