/** An upstream that answers every heavy request as its vendor would, in the shape of the vendors' references, with little work of its own. */
import { respond, respondJson } from '#testing/upstream/scripted-answers'
import type { Exchange, Script } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from '../chat-answer.ts'
import { largestPicture, manyPictures, manyVectors, vectors } from './heavy-files.ts'
import { paintingModel } from './heavy-requests.ts'

const responded = {
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'up' },
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'ok', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
}
const said = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'up', stop_reason: 'end_turn', stop_sequence: null },
  ...{ content: [{ type: 'text', text: 'ok' }], usage: { input_tokens: 1, output_tokens: 1 } },
}
const conversed = {
  output: { message: { role: 'assistant', content: [{ text: 'ok' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
}
const png = 'iVBORw0KGgo='
const inline = (mimeType: string, data: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ inlineData: { mimeType, data } }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
})
const refused = (message: string) => respondJson(400, { error: { message, type: 'invalid_request_error', param: null, code: null } })

/** How often a text stands in a body. */
function count({ request }: Exchange, text: string): number {
  const body = Buffer.from(request.body)
  let found = 0
  for (let at = body.indexOf(text); at !== -1; at = body.indexOf(text, at + text.length)) found++
  return found
}

/** A list of so many. */
const many = <Value>(times: number, value: (index: number) => Value): Value[] => Array.from({ length: times }, (_, index) => value(index))

/** OpenAI takes 2,048 inputs. The first of these marks stands behind the model, the others between texts. */
function embedded(exchange: Exchange): Script {
  const inputs = count(exchange, '"input":"') > 0 ? 1 : count(exchange, '","')
  if (inputs > 2_048) return refused('The input has too many items.')
  const data = many(inputs, (index) => ({ object: 'embedding', index, embedding: [1] }))
  return respondJson(200, { object: 'list', data, model: 'up', usage: { prompt_tokens: 1, total_tokens: 1 } })
}

/** Pictures of 5 MiB of base64. */
const painted = (times: number) => many(times, () => `${png.slice(0, 11)}A${'Ab+/'.repeat((5 * 1024 * 1024) / 4)}`)
const inTime = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
/** The same bytes each time. */
const large = {
  images: inTime(() => JSON.stringify({ created: 1, data: painted(4).map((b64_json) => ({ b64_json })), usage: pictureUsage })),
  image: inTime(() => JSON.stringify(inline('image/png', painted(1)[0] ?? ''))),
  gemini: inTime(() => {
    const parts = painted(4).map((data) => ({ inlineData: { mimeType: 'image/png', data } }))
    return JSON.stringify({ ...inline('image/png', png), candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] })
  }),
  responses: inTime(() => {
    const output = painted(4).map((result, at) => ({ type: 'image_generation_call', id: `ig_${at}`, status: 'completed', result }))
    return JSON.stringify({ ...responded, output })
  }),
  vectors: inTime(() => {
    const data = many(vectors, (index) => ({ object: 'embedding', index, embedding }))
    return JSON.stringify({ object: 'list', data, model: 'up', usage: { prompt_tokens: 1, total_tokens: 1 } })
  }),
}
const embedding = many(1_536, (at) => -0.0123456789 - at / 1e6)
const pictureUsage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
const respondText = (text: string) => respond(200, { 'content-type': 'application/json' }, text)

const ranked = { results: many(2, (index) => ({ index, relevance_score: 1 - index / 2 })) }

function vectorsFor(path: string, exchange: Exchange): Script {
  if (path.endsWith('/embeddings')) return respondText(large.vectors())
  return respondJson(200, { embeddings: many(count(exchange, '"content":'), () => ({ values: embedding })) })
}

function picturesFor(path: string): Script {
  if (path.endsWith('/images/generations')) return respondText(large.images())
  if (path.endsWith('/responses')) return respondText(large.responses())
  return respondText(path.includes(paintingModel) ? large.image() : large.gemini())
}

/** Keeps no request in mind but the one that it answers. */
export function heavyUpstream(): Script {
  let answers = 0
  const answerTo = (path: string, exchange: Exchange): Script => {
    if (count(exchange, manyVectors) > 0) return vectorsFor(path, exchange)
    if (count(exchange, manyPictures) > 0) return picturesFor(path)
    if (path === '/picture') return respond(200, { 'content-type': 'image/png' }, largestPicture)
    if (path.endsWith('/responses')) return respondJson(200, { ...responded, id: `resp_${++answers}` })
    if (path.endsWith('/messages') || path.endsWith('/invoke')) return respondJson(200, said)
    if (path.endsWith('/converse')) return respondJson(200, conversed)
    if (path.endsWith('/chat/completions')) return respondJson(200, chatAnswer())
    if (path.endsWith('/embeddings')) return embedded(exchange)
    if (path.endsWith(':batchEmbedContents'))
      return respondJson(200, { embeddings: many(count(exchange, '"content":'), () => ({ values: [1] })) })
    if (path.endsWith(':embedContent')) return respondJson(200, { embedding: { values: [1] } })
    if (path.endsWith('/images/generations') || path.endsWith('/images/edits'))
      return respondJson(200, { created: 1, data: [{ b64_json: png }], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } })
    if (path.endsWith('/speech')) return respond(200, { 'content-type': 'audio/mpeg' }, 'sound')
    if (path.endsWith('/transcriptions')) return respondJson(200, { text: 'ok', usage: { type: 'duration', seconds: 1 } })
    if (path.endsWith('/moderations')) return respondJson(200, { id: 'modr_1', model: 'up', results: [{ flagged: false }] })
    if (path.endsWith('/rerank'))
      return respondJson(200, { ...ranked, usage: { total_tokens: 1 }, meta: { billed_units: { search_units: 1 } } })
    if (path.endsWith(':countTokens')) return respondJson(200, { totalTokens: 1 })
    if (path.endsWith('/count_tokens')) return respondJson(200, { input_tokens: 1 })
    if (!path.endsWith(':generateContent')) return respondJson(404, {})
    return respondJson(200, count(exchange, '"AUDIO"') > 0 ? inline('audio/L16;codec=pcm;rate=24000', 'AAAA') : inline('image/png', png))
  }
  return (exchange) => answerTo(exchange.request.target.replace(/\?.*/, ''), exchange)(exchange)
}
