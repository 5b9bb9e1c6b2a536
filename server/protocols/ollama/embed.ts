/** `/api/embed` and the older `/api/embeddings` as requests for OpenAI's embeddings. */
import type { Reworded, Wording } from '#canonical/wording'
import { bodyNames } from '#protocols/codec/body-names'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { readBody } from '#protocols/codec/fields'
import { isObject } from '#shared/json'
import { OllamaEmbeddingsRequest, OllamaEmbedRequest } from '#shared/protocols/ollama/ollama'
import { parseObject, scanObject } from '#wire/json-scan'

const embedNames = bodyNames('ollama', [OllamaEmbedRequest])
const embeddingsNames = bodyNames('ollama', [OllamaEmbeddingsRequest])

function readEmbed(text: string): Reworded {
  const losses = lossList()
  const { fields: body, unread } = readBody<OllamaEmbedRequest>(scanObject(text, embedNames).value)
  const dimensions = body.integer('dimensions', 1)
  const asked = { model: body.needText('model'), input: body.json('input'), encoding_format: 'float', ...(dimensions && { dimensions }) }
  if (body.flag('truncate')) losses.leftOut('truncate', 'The upstream decides how to handle a text that is too long.')
  if (body.has('keep_alive')) losses.leftOut('keep_alive', 'No model is loaded here.')
  if (body.has('options')) losses.leftOut('options', 'These are settings of the machine that runs the model.')
  body.ignore('keep_alive', 'options')
  recordUnread(unread(), losses)
  return { body: JSON.stringify(asked), losses: losses.losses }
}

function readEmbeddings(text: string): Reworded {
  const losses = lossList()
  const { fields: body, unread } = readBody<OllamaEmbeddingsRequest>(scanObject(text, embeddingsNames).value)
  const asked = { model: body.needText('model'), input: body.needText('prompt'), encoding_format: 'float' }
  body.ignore('keep_alive', 'options')
  recordUnread(unread(), losses)
  return { body: JSON.stringify(asked), losses: losses.losses }
}

/** The lists of numbers as they are written, in the order of the answer: parsing millions of numbers to write them again is idle work. */
const vectorsIn = (body: string): string[] => [...body.matchAll(/"embedding"\s*:\s*(\[[^\]]*\])/g)].map(([, vector = '[]']) => vector)

/** The fields after the vectors, or between them. */
function countsIn(body: string): { model: unknown; tokens: unknown } {
  const rest = parseObject(body.replace(/"embedding"\s*:\s*\[[^\]]*\]/g, '"embedding":0')) ?? {}
  return { model: rest.model, tokens: isObject(rest.usage) ? rest.usage.prompt_tokens : 0 }
}

/** `/api/embed`. */
export const embed: Wording = {
  readRequest: readEmbed,
  writeAnswer(body, { elapsed }) {
    const { model, tokens } = countsIn(body)
    const rest = JSON.stringify({ total_duration: Math.round(elapsed() * 1e6), load_duration: 0, prompt_eval_count: tokens }).slice(1)
    return `{"model":${JSON.stringify(model)},"embeddings":[${vectorsIn(body).join(',')}],${rest}`
  },
}

/** `/api/embeddings`. */
export const embeddings: Wording = {
  readRequest: readEmbeddings,
  writeAnswer: (body) => `{"embedding":${vectorsIn(body)[0] ?? '[]'}}`,
}
