/**
 * Scripted image vendors that behave like the real ones: they check key, path and fields, refuse in their own envelope, and stream. Written
 * from the public API references, not from Parley's codecs. The bytes of an image identify it: they contain the prompt.
 */

import type { ReceivedRequest } from '#testing/upstream/received-request'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import type { Exchange, Script } from '#testing/upstream/scripted-upstream'
import { type Fields, isObject } from './body-checks.ts'

/** The base64 data of an image. */
export const pictureOf = (prompt: string, index = 0, what = 'picture'): string =>
  Buffer.from(`${what} ${index} of ${prompt}`).toString('base64')

/** Output tokens of an image at medium quality, and of a partial one. */
export const pictureTokens = 1056
export const partialTokens = 100

/** How the vendor differs from its defaults. */
export interface OpenaiImagesOptions {
  models: string[]
  keys?: string[]
  /** An older model: answers with URLs unless base64 is requested, and reports no tokens. */
  older?: boolean
  /** Answers whole although a stream was requested. */
  whole?: boolean
  /** Awaited between the events of a stream, numbered from 0. */
  between?(event: number): Promise<unknown>
  /** Number of extra characters in every image. */
  padding?: number
}

const known = ['model', 'prompt', 'n', 'size', 'quality', 'background', 'moderation', 'output_format', 'output_compression', 'user']
const streaming = ['stream', 'partial_images']
const editing = ['images', 'image', 'mask', 'input_fidelity']
const sizes = /^(auto|\d{3,4}x\d{3,4})$/
const qualities = ['auto', 'low', 'medium', 'high', 'standard', 'hd']

/** A vendor with OpenAI's API. */
export function openaiImages(options: OpenaiImagesOptions): Script {
  const keys = options.keys ?? ['sk-vendor']
  return async (exchange) => {
    const { request } = exchange
    const refuse = (status: number, message: string, param: string | null = null, code: string | null = null) =>
      respondJson(status, { error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param, code } })(exchange)
    const edit = /\/images\/(edits|variations)(\?|$)/.test(request.target)
    if (request.method !== 'POST' || !/\/images\/(generations|edits|variations)(\?|$)/.test(request.target))
      return refuse(404, 'Invalid URL.')
    const key = /^Bearer (.+)$/.exec(request.header('authorization') ?? '')?.[1] ?? request.header('api-key')
    if (key === undefined || !keys.includes(key)) return refuse(401, `Incorrect API key provided: ${key}.`, null, 'invalid_api_key')
    const body = await readImageRequest(request)
    if (request.target.includes('/variations')) body.prompt ??= 'a variation'
    const allowed = [...known, ...streaming, ...(edit ? editing : []), ...(options.older ? ['response_format', 'style'] : [])]
    const unknown = Object.keys(body).find((name) => !allowed.includes(name))
    if (unknown !== undefined) return refuse(400, `Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter')
    if (!options.models.includes(String(body.model))) return refuse(404, 'The model does not exist.', 'model', 'model_not_found')
    if (typeof body.prompt !== 'string') return refuse(400, "Missing required parameter: 'prompt'.", 'prompt')
    if (edit && picturesIn(body).length === 0) return refuse(400, "Missing required parameter: 'image'.", 'image')
    const n = Number(body.n ?? 1)
    if (!(n >= 1 && n <= 10)) return refuse(400, 'Invalid n.', 'n')
    if (body.size !== undefined && !sizes.test(String(body.size))) return refuse(400, 'Invalid size.', 'size', 'invalid_value')
    if (body.quality !== undefined && !qualities.includes(String(body.quality))) return refuse(400, 'Invalid quality.', 'quality')
    if (/forbidden/.test(body.prompt)) return refuse(400, 'Your request was rejected by the safety system.', null, 'moderation_blocked')
    const isStream = body.stream === true || body.stream === 'true'
    if (isStream && !options.whole) return streamed(exchange, { body, edit, n, options })
    await respondJson(200, wholeAnswer(body, n, options))(exchange)
  }
}

/** The fields of a JSON or form request; files are `File` objects. */
export async function readImageRequest(request: ReceivedRequest): Promise<Fields> {
  const type = request.header('content-type') ?? ''
  if (!type.startsWith('multipart/form-data')) return request.json() as Fields
  const form = await new Response(Uint8Array.from(request.body), { headers: { 'content-type': type } }).formData()
  const fields: Fields = {}
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value
    else if (name === 'mask') fields.mask = value
    else fields.image = [...((fields.image as File[] | undefined) ?? []), value]
  }
  return fields
}

/** The input images of a request. */
export const picturesIn = (body: Fields): unknown[] => [body.images, body.image].flatMap((list) => (Array.isArray(list) ? list : []))

function usageOf(body: Fields, pictures: number, partials: number) {
  const text = String(body.prompt).length
  const image = 200 * picturesIn(body).length
  const output = pictures * pictureTokens + partials * partialTokens
  return {
    input_tokens: text + image,
    input_tokens_details: { text_tokens: text, image_tokens: image },
    output_tokens: output,
    output_tokens_details: { text_tokens: 0, image_tokens: output },
    total_tokens: text + image + output,
  }
}

const common = (body: Fields) => ({ background: 'opaque', output_format: 'png', quality: 'medium', size: String(body.size ?? '1024x1024') })

function wholeAnswer(body: Fields, n: number, { older, padding = 0 }: OpenaiImagesOptions) {
  const prompt = String(body.prompt)
  const data = Array.from({ length: n }, (_, index) =>
    older && body.response_format !== 'b64_json'
      ? { url: `https://pictures.example/${index}.png`, revised_prompt: prompt }
      : { b64_json: pictureOf(prompt, index) + 'A'.repeat(padding) },
  )
  return older ? { created: 1, data } : { created: 1, data, ...common(body), usage: usageOf(body, n, 0) }
}

interface Asked {
  body: Fields
  edit: boolean
  n: number
  options: OpenaiImagesOptions
}

async function streamed(exchange: Exchange, { body, edit, n, options }: Asked): Promise<void> {
  const kind = edit ? 'image_edit' : 'image_generation'
  const prompt = String(body.prompt)
  const partials = Number(body.partial_images ?? 0)
  const events: [string, object][] = []
  for (let index = 0; index < n; index++) {
    for (let part = 0; part < partials; part++) {
      events.push(['partial_image', { b64_json: pictureOf(prompt, part, 'sketch'), partial_image_index: part }])
    }
    const b64_json = pictureOf(prompt, index) + 'A'.repeat(options.padding ?? 0)
    events.push(['completed', { b64_json, usage: usageOf(body, 1, partials) }])
  }
  await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
  for (const [number, [name, fields]] of events.entries()) {
    await options.between?.(number)
    if (exchange.isGone()) return
    const type = `${kind}.${name}`
    await exchange.chunk(`event: ${type}\ndata: ${JSON.stringify({ type, created_at: 1, ...common(body), ...fields })}\n\n`)
  }
  await exchange.lastChunk()
}

/** Disconnects after one partial image. */
export const brokenPicture: Script = stream(
  ['event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"QQ==","partial_image_index":0}\n\n'],
  { everyMs: 20, ending: 'reset' },
)

/** How the vendor differs from its defaults. */
export interface GeminiImagesOptions {
  models: string[]
  keys?: string[]
}

/** Google's token counts: for an image, and for the thoughts before it. */
export const geminiTokens = { picture: 1290, thought: 40 }

/** A vendor with Google's APIs: chat models that also generate images (generateContent), and Imagen (predict). */
export function geminiImages(options: GeminiImagesOptions): Script {
  const keys = options.keys ?? ['sk-vendor']
  return (exchange) => {
    const { request } = exchange
    const refuse = (code: number, status: string, message: string) => respondJson(code, { error: { code, message, status } })(exchange)
    const [, model = '', action = ''] = /^\/v1beta\/models\/([^:]+):(\w+)$/.exec(request.target) ?? []
    if (!keys.includes(request.header('x-goog-api-key') ?? '')) return refuse(400, 'INVALID_ARGUMENT', 'API key not valid.')
    if (!options.models.includes(model)) return refuse(404, 'NOT_FOUND', `models/${model} is not found.`)
    const body = request.json() as Fields
    const isImagen = model.startsWith('imagen')
    if (action !== (isImagen ? 'predict' : 'generateContent')) return refuse(404, 'NOT_FOUND', `The model does not support ${action}.`)
    const fault = isImagen ? imagenFault(body) : geminiFault(body)
    if (fault !== undefined) return refuse(400, 'INVALID_ARGUMENT', fault)
    return respondJson(200, isImagen ? imagenAnswer(body) : geminiAnswer(body))(exchange)
  }
}

function geminiFault({ contents, generationConfig: config, ...rest }: Fields): string | undefined {
  if (Object.keys(rest).length > 0) return 'Invalid JSON payload received. Unknown name.'
  if (!Array.isArray(contents) || contents.length === 0) return 'contents is not specified'
  if (!isObject(config)) return undefined
  const { responseModalities, imageConfig, ...others } = config
  if (Object.keys(others).length > 0) return 'Invalid JSON payload received. Unknown name in generationConfig.'
  if (responseModalities !== undefined && JSON.stringify(responseModalities) !== '["TEXT","IMAGE"]') return 'Bad modalities.'
  if (!isObject(imageConfig)) return undefined
  return /^(1:1|2:3|3:2|3:4|4:3|4:5|5:4|9:16|16:9|21:9)$/.test(String(imageConfig.aspectRatio)) ? undefined : 'Bad aspectRatio.'
}

function geminiAnswer({ contents }: Fields) {
  const parts = (contents as { parts: Fields[] }[]).flatMap((content) => content.parts)
  const prompt = parts.map((part) => (isObject(part.inlineData) ? String(part.inlineData.data) : String(part.text))).join(' ')
  if (/forbidden/.test(prompt)) return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 3 } }
  if (/sum/.test(prompt)) return { candidates: [{ content: { parts: [{ text: 'It is 4.' }] }, finishReason: 'STOP', index: 0 }] }
  const inline = { inlineData: { mimeType: 'image/png', data: pictureOf(prompt) } }
  const { picture, thought } = geminiTokens
  return {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Here: ' }, inline] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: 9,
      candidatesTokenCount: picture,
      thoughtsTokenCount: thought,
      totalTokenCount: 9 + picture + thought,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: picture }],
    },
    modelVersion: 'secret-version',
  }
}

function imagenFault({ instances, parameters }: Fields): string | undefined {
  if (!Array.isArray(instances) || instances.length !== 1 || !isObject(parameters)) return 'Bad instances.'
  const count = Number(parameters.sampleCount)
  return count >= 1 && count <= 4 ? undefined : 'sampleCount must be between 1 and 4.'
}

function imagenAnswer({ instances, parameters }: Fields) {
  const [{ prompt }] = instances as [{ prompt: string }]
  const count = Number((parameters as Fields).sampleCount)
  return {
    predictions: Array.from({ length: count }, (_, index) => ({ mimeType: 'image/png', bytesBase64Encoded: pictureOf(prompt, index) })),
  }
}
