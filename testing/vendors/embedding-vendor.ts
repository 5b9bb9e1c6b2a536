/**
 * Scripted upstreams for OpenAI's and Google's embeddings, written from the vendors' references. A vector identifies its input: the first
 * number in the text, its length, and a constant.
 */
import type { ReceivedRequest } from '#testing/upstream/received-request'
import { respondJson } from '#testing/upstream/scripted-answers'
import type { Script } from '#testing/upstream/scripted-upstream'

type Fields = Record<string, unknown>

/** The vector for a text; the constant only with as many dimensions. */
export const vectorFor = (text: string, dimensions = 3): number[] => {
  const known = [Number(/\d+/.exec(text)?.[0] ?? -1), text.length / 8, 0.25]
  return Array.from({ length: dimensions }, (_, index) => known[index] ?? 0)
}

/** The token count for a text; never equal to its byte count. */
export const tokensFor = (text: string): number => text.length + 3

/** A vector as base64. */
export const packed = (numbers: number[]): string => Buffer.from(Float32Array.from(numbers).buffer).toString('base64')

interface OpenaiOptions {
  models: readonly string[]
  /** Always answers in this format, whatever is requested. */
  format?: 'float' | 'base64'
  /** Reports no usage. */
  silent?: boolean
}

const openaiFields = ['model', 'input', 'dimensions', 'encoding_format', 'user']

/** An upstream with OpenAI's API. */
export function openaiEmbeddings({ models, format, silent = false }: OpenaiOptions): Script {
  const refuse = (status: number, message: string, param: string | null = null, code: string | null = null) =>
    respondJson(status, { error: { message, type: 'invalid_request_error', param, code } })
  return (exchange) => {
    const { request } = exchange
    if (request.method !== 'POST' || request.target !== '/v1/embeddings') return refuse(404, `Invalid URL (${request.target})`)(exchange)
    if (request.header('authorization') !== 'Bearer sk-vendor') {
      return refuse(401, 'Incorrect API key provided.', null, 'invalid_api_key')(exchange)
    }
    const body = fieldsOf(request)
    const unknown = Object.keys(body).find((field) => !openaiFields.includes(field))
    if (unknown !== undefined) return refuse(400, `Unrecognized request argument supplied: ${unknown}`)(exchange)
    if (!models.includes(String(body.model))) return refuse(404, 'The model does not exist', 'model', 'model_not_found')(exchange)
    const inputs = openaiInputs(body.input)
    if (inputs === undefined) return refuse(400, "'$.input' is invalid.", 'input')(exchange)
    const dimensions = body.dimensions === undefined ? 3 : Number(body.dimensions)
    const asBase64 = (format ?? body.encoding_format) === 'base64'
    const data = inputs.map((input, index) => {
      const vector = vectorFor(input, dimensions)
      return { object: 'embedding', index, embedding: asBase64 ? packed(vector) : vector }
    })
    const tokens = inputs.reduce((sum, input) => sum + tokensFor(input), 0)
    const usage = silent ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }
    return respondJson(200, { object: 'list', data, model: `${body.model}-v1`, ...usage })(exchange)
  }
}

function openaiInputs(input: unknown): string[] | undefined {
  const list = Array.isArray(input) && !input.every((one) => typeof one === 'number') ? input : [input]
  if (list.length === 0 || list.length > 2048) return undefined
  const texts = list.map((one) => (Array.isArray(one) ? one.join(' ') : one))
  return texts.every((text) => typeof text === 'string' && text !== '') ? texts : undefined
}

const requestFields = ['model', 'content', 'taskType', 'title', 'outputDimensionality', 'embedContentConfig']

/** An upstream with Google's API. `told`: it reports usage, as newer models do. */
export function geminiEmbeddings({ models, told = false }: { models: readonly string[]; told?: boolean }): Script {
  const refuse = (code: number, status: string, message: string) => respondJson(code, { error: { code, message, status } })
  return (exchange) => {
    const { request } = exchange
    const path = /^\/v1beta\/models\/([^:]+):(embedContent|batchEmbedContents)$/.exec(request.target)
    if (request.method !== 'POST' || !path) return refuse(404, 'NOT_FOUND', 'Requested entity was not found.')(exchange)
    if (request.header('x-goog-api-key') !== 'sk-vendor') {
      return refuse(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.')(exchange)
    }
    const [, model = '', action] = path
    if (!models.includes(model)) return refuse(404, 'NOT_FOUND', `models/${model} is not found for API version v1beta`)(exchange)
    const body = fieldsOf(request)
    const batch = action === 'batchEmbedContents'
    const asked = batch ? body.requests : [body]
    const invalid = (message: string) => refuse(400, 'INVALID_ARGUMENT', message)(exchange)
    if (!Array.isArray(asked) || asked.length === 0) return invalid('BatchEmbedContentsRequest.requests: is required')
    if (asked.length > 100) return invalid('BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch')
    const fault = asked.map((one: Fields) => requestFault(one, model, batch)).find((found) => found !== undefined)
    if (fault !== undefined) return invalid(fault)
    const texts = asked.map(textIn)
    const embeddings = texts.map((text, index) => ({ values: vectorFor(text, Number(asked[index]?.outputDimensionality ?? 3)) }))
    const promptTokenCount = texts.reduce((sum, text) => sum + tokensFor(text), 0)
    const answer = batch ? { embeddings } : { embedding: embeddings[0] }
    return respondJson(200, { ...answer, ...(told && { usageMetadata: { promptTokenCount } }) })(exchange)
  }
}

const fieldsOf = (request: ReceivedRequest): Fields => request.json() as Fields

function requestFault(request: Fields, model: string, batch: boolean): string | undefined {
  const unknown = Object.keys(request).find((field) => !requestFields.includes(field))
  if (unknown !== undefined) return `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`
  if (batch && request.model !== `models/${model}`) return 'BatchEmbedContentsRequest.requests: model must match the batch'
  return textIn(request) === '' ? 'content is empty' : undefined
}

const textIn = (request: Fields): string =>
  ((request.content as { parts?: { text?: string }[] } | undefined)?.parts ?? []).map(({ text }) => text ?? '').join('\n')
