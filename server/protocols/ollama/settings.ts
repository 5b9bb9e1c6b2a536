/** Settings that `/api/chat` and `/api/generate` share, in the Chat format. Read: https://github.com/ollama/ollama/blob/main/docs/api.md */
import type { LossList } from '#canonical/loss'
import { type Fields, invalidField } from '#protocols/codec/fields'
import { exact } from '#shared/exact-numbers'
import { isObject, type JsonObject } from '#shared/json'
import type { OllamaChatRequest, OllamaGenerateRequest, OllamaOptions } from '#shared/protocols/ollama/ollama'

type Asked = OllamaChatRequest | OllamaGenerateRequest

/** Options of the machine that runs the model: they change how fast it answers, not what. */
const ofTheMachine = [
  ...['num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'num_thread', 'num_keep', 'numa', 'low_vram', 'f16_kv', 'logits_all'],
  ...['vocab_only', 'use_mmap', 'use_mlock', 'embedding_only'],
] as const
const levels = ['low', 'medium', 'high', 'max'] as const

/** All fields except the content, as Chat fields. Throws GatewayError for invalid values. */
export function readSettings(body: Fields<Asked>, losses: LossList): JsonObject {
  if (body.has('keep_alive')) losses.leftOut('keep_alive', 'No model is loaded here.')
  body.ignore('keep_alive')
  const stream = body.flag('stream') ?? true
  const logprobs = body.flag('logprobs')
  const top = body.integer('top_logprobs', 0, 20)
  const options = body.object('options')?.as<OllamaOptions>()
  return {
    model: body.needText('model'),
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
    ...(options && readOptions(options, losses)),
    ...readFormat(body),
    ...readThinking(body),
    ...(logprobs && { logprobs, ...(top !== undefined && { top_logprobs: top }) }),
  }
}

function readOptions(options: Fields<OllamaOptions>, losses: LossList): JsonObject {
  const machine = options.as<JsonObject>()
  for (const name of ofTheMachine) {
    if (machine.has(name)) losses.leftOut(`options.${name}`, 'This is a setting of the machine that runs the model.')
    machine.ignore(name)
  }
  // -1 and -2 mean as much as the model can write.
  const most = options.integer('num_predict', -2)
  const stop = options.texts('stop')
  const numbers = ['temperature', 'top_p', 'top_k', 'seed', 'presence_penalty', 'frequency_penalty'] as const
  const set = numbers.map((name) => [name, options.number(name)] as const).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(set),
    ...(most !== undefined && most > 0 && { max_tokens: most }),
    ...(stop.length > 0 && { stop }),
  }
}

function readFormat(body: Fields<Asked>): JsonObject {
  const format = exact(body.json('format'))
  if (format === undefined || format === '') return {}
  if (format === 'json') return { response_format: { type: 'json_object' } }
  if (!isObject(format)) throw invalidField('format', '`json` or a JSON Schema')
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: format } } }
}

function readThinking(body: Fields<Asked>): JsonObject {
  const think = body.json('think')
  if (think === undefined) return {}
  if (typeof think === 'boolean') return { reasoning_effort: think ? 'medium' : 'none' }
  const level = levels.find((one) => one === think)
  if (level === undefined) throw invalidField('think', `true, false, ${levels.join(', ')}`)
  return { reasoning_effort: level }
}

const kindsOfImages = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const

/** Base64 images, whose type is detected from their beginning, as parts of a Chat message. Throws GatewayError for anything else. */
export function imageParts(images: readonly string[], path: string): JsonObject[] {
  return images.map((data, index) => {
    const kind = kindsOfImages.find(([start]) => data.startsWith(start))?.[1]
    if (kind === undefined) throw invalidField(`${path}[${index}]`, 'a PNG, JPEG, GIF or WebP image in base64')
    return { type: 'image_url', image_url: { url: `data:${kind};base64,${data}` } }
  })
}
