/** Requests with files that Parley fetches or keeps, 20 MiB together, for upstreams that take them only as bytes inside their JSON; and answers with as much. */

import { testModel } from '../gateway.ts'
import { convertedModel } from '../large-bodies.ts'
import {
  conversingModel,
  embeddingModel,
  geminiModel,
  type HeavyRequest,
  type Making,
  paintingModel,
  signedModel,
} from './heavy-requests.ts'

const mebibyte = 1024 * 1024

/** A picture of so many MiB, as far as its first bytes tell. */
const picture = (mebibytes: number) => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(mebibytes * mebibyte - 8)])
/** The largest file that is fetched. */
export const largestPicture = picture(10)

const asked = (name: string, path: string, body: HeavyRequest['body']): HeavyRequest => ({ name, path, as: 'key', body, status: 200 })

/** Pictures at two addresses of this host. */
export function fetchedFiles(host: string): Making[] {
  const urls = [1, 2].map((at) => `${host}/picture?${at}`)
  const shown = urls.map((url) => ({ type: 'image_url', image_url: { url } }))
  const conversation = (model: string, text = 'x') =>
    JSON.stringify({ model, messages: [{ role: 'user', content: [...shown, { type: 'text', text }] }] })
  const edit = (prompt: string) => JSON.stringify({ model: paintingModel, prompt, images: urls.map((image_url) => ({ image_url })) })
  const chat = '/v1/chat/completions'
  return [
    () => asked('fetched pictures', chat, conversation(geminiModel)),
    () => asked('fetched pictures, signed', chat, conversation(signedModel)),
    () => asked('fetched pictures, signed Converse', chat, conversation(conversingModel)),
    () => asked('fetched pictures in a large body', chat, conversation(geminiModel, 'x'.repeat(30 * mebibyte))),
    () => asked('fetched pictures in a large body, signed', chat, conversation(signedModel, 'x'.repeat(30 * mebibyte))),
    () => asked('fetched pictures to edit', '/v1/images/edits', edit('x')),
    () => asked('fetched pictures to edit in a large body', '/v1/images/edits', edit('x'.repeat(30 * mebibyte))),
  ]
}

const formOf = (fields: Record<string, string | Blob>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
const uploaded = () => new Blob([picture(19)], { type: 'image/png' })

/** A picture to edit. */
export const inlinePicture: Making = () =>
  asked('uploaded picture to edit', '/v1/images/edits', formOf({ model: paintingModel, prompt: 'x', image: uploaded() }))

/** A picture to keep. */
export const keptPicture: Making = () => asked('kept picture', '/v1/files', formOf({ purpose: 'vision', file: uploaded() }))

/** Requests that name the kept file with this id. */
export const keptFileRequests = (id: string): Making[] =>
  [convertedModel, geminiModel, conversingModel].map((model) => () => {
    const content = [{ type: 'input_image', file_id: id }]
    return asked(
      `names a kept picture, ${model}`,
      '/v1/responses',
      JSON.stringify({ model, store: false, input: [{ role: 'user', content }] }),
    )
  })

/** What asks the heavy upstream for 20 MiB of pictures. */
export const manyPictures = 'many pictures'

/** What asks it for 30 MB of vectors. */
export const manyVectors = 'many vectors'
/** How many. */
export const vectors = 1_500

/** Requests whose whole answers hold pictures or vectors. */
export function largeAnswers(): Making[] {
  const input = Array.from({ length: vectors }, () => manyVectors)
  const embedded = (model: string, encoding_format: string) => json(model, { input, encoding_format })
  const says = [{ role: 'user', content: manyPictures }]
  const json = (model: string, rest: object) => JSON.stringify({ model, ...rest })
  const painted = (model: string) => json(model, { prompt: manyPictures, n: 4 })
  const gemini = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: manyPictures }] }] })
  const responses = (model: string) => json(model, { input: manyPictures })
  return [
    () => asked('pictures', '/v1/images/generations', painted(testModel)),
    () => asked('pictures, converted', '/v1/images/generations', painted(paintingModel)),
    () => asked('an answer with pictures', `/v1beta/models/${geminiModel}:generateContent`, gemini),
    () => asked('an answer with pictures, to Chat', '/v1/chat/completions', json(geminiModel, { messages: says })),
    () => asked('a kept answer with pictures', '/v1/responses', responses(testModel)),
    () => asked('a kept answer with pictures, converted', '/v1/responses', responses(geminiModel)),
    () => asked('vectors', '/v1/embeddings', embedded(testModel, 'float')),
    () => asked('vectors in another format', '/v1/embeddings', embedded(testModel, 'base64')),
    () => asked('vectors, converted', '/v1/embeddings', embedded(embeddingModel, 'float')),
  ]
}
