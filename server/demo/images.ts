/** Image operations of the demo: generation and edits, whole or as a stream with partial images. */
import { type Fields, isObject } from './chat-rules.ts'
import type { Piece } from './chat-writer.ts'
import type { DemoForm } from './form.ts'
import { describeImage } from './image.ts'
import { paint } from './picture.ts'
import type { Result } from './refusal.ts'

const mostPictures = 10
const mostSide = 2048
/** Tokens per image at each quality. */
const qualities: Readonly<Record<string, number>> = { auto: 1056, low: 272, medium: 1056, high: 4160, standard: 1056, hd: 4160 }
const partialTokens = 100
const seenTokens = 100

interface Wanted {
  prompt: string
  /** Descriptions of the input images. */
  seen: string[]
  n: number
  width: number
  height: number
  quality: string
  url: boolean
  stream: boolean
  partials: number
  /** Seconds since the epoch. */
  created: number
}

const refuse = (message: string, param: string): Result => ({ refusal: { status: 400, message, param, code: null } })

/** Answers `/v1/images/generations`. */
export const generateImages = (body: Fields, created: number): Promise<Result> => answer(body, created, undefined)

/** Answers `/v1/images/edits` with a JSON body. */
export async function editImages(body: Fields, created: number): Promise<Result> {
  const given: unknown[] = Array.isArray(body.images) ? body.images : []
  if (given.length === 0) return refuse('An edit needs pictures.', 'images')
  const urls = given.map((image) => (isObject(image) && typeof image.image_url === 'string' ? image.image_url : ''))
  return answer(body, created, urls.map(describeImage))
}

/** Answers `/v1/images/edits` with a form body. */
export async function editImagesOfForm({ fields, files }: DemoForm, created: number): Promise<Result> {
  const pictures = files.filter(({ name }) => name.startsWith('image'))
  if (pictures.length === 0) return refuse('An edit needs pictures.', 'image')
  const body: Fields = Object.fromEntries(fields)
  for (const name of ['n', 'partial_images']) if (fields.has(name)) body[name] = Number(fields.get(name))
  body.stream = fields.get('stream') === 'true'
  return answer(
    body,
    created,
    pictures.map(({ type, size }) => `${type || 'unknown type'}, ${size} bytes`),
  )
}

/** Answers `/v1/images/variations`. */
export function varyImages(form: DemoForm, created: number): Promise<Result> {
  return editImagesOfForm({ ...form, fields: new Map([...form.fields, ['prompt', 'A variation']]) }, created)
}

async function answer(body: Fields, created: number, seen: string[] | undefined): Promise<Result> {
  const { prompt, n = 1, size = '1024x1024', quality = 'auto', partial_images: partials = 0 } = body
  if (typeof prompt !== 'string' || prompt.trim() === '') return refuse('The prompt must be text.', 'prompt')
  if (!isWhole(n, 1, mostPictures)) return refuse(`n must be an integer from 1 to ${mostPictures}.`, 'n')
  if (!isWhole(partials, 0, 3)) return refuse('partial_images must be an integer from 0 to 3.', 'partial_images')
  if (typeof quality !== 'string' || !Object.hasOwn(qualities, quality)) return refuse('Unknown quality.', 'quality')
  const [width, height] = size === 'auto' ? [1024, 1024] : String(size).split('x').map(Number)
  const isSize = isWhole(width, 16, mostSide) && isWhole(height, 16, mostSide)
  if (!isSize) return refuse(`The size must be WIDTHxHEIGHT, from 16 to ${mostSide} each, or auto.`, 'size')
  const { output_format: format = 'png', response_format: as } = body
  if (format !== 'png') return refuse('The demo makes PNG only.', 'output_format')
  const wanted = { prompt, seen: seen ?? [], n, width, height, quality, url: as === 'url', stream: body.stream === true, partials, created }
  return wanted.stream ? streamed(wanted, seen === undefined ? 'image_generation' : 'image_edit') : whole(wanted)
}

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most

async function whole(wanted: Wanted): Promise<Result> {
  const data: Fields[] = []
  for (let index = 0; index < wanted.n; index++) {
    const bytes = await pictureOf(wanted, index)
    data.push({ ...(wanted.url ? { url: `data:image/png;base64,${bytes}` } : { b64_json: bytes }), revised_prompt: understood(wanted) })
  }
  return { answer: { created: wanted.created, data, ...common(wanted), usage: usageOf(wanted, wanted.n, 0) } }
}

async function streamed(wanted: Wanted, kind: string): Promise<Result> {
  const pieces: Piece[] = []
  const say = (type: string, fields: Fields) => {
    const event = { type: `${kind}.${type}`, created_at: wanted.created, ...common(wanted), ...fields }
    pieces.push({ text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`, paced: true })
  }
  for (let index = 0; index < wanted.n; index++) {
    for (let part = 0; part < wanted.partials; part++) {
      say('partial_image', { b64_json: await pictureOf(wanted, index, wanted.partials - part), partial_image_index: part })
    }
    say('completed', { b64_json: await pictureOf(wanted, index), usage: usageOf(wanted, 1, wanted.partials) })
  }
  return { type: 'text/event-stream; charset=utf-8', pieces }
}

/** The PNG as base64. */
async function pictureOf({ prompt, seen, width, height }: Wanted, index: number, coarseness = 0): Promise<string> {
  const bytes = await paint([prompt, ...seen, index].join('\n'), width, height, coarseness)
  return Buffer.from(bytes).toString('base64')
}

const common = ({ width, height, quality }: Wanted) => ({
  background: 'opaque',
  output_format: 'png',
  quality,
  size: `${width}x${height}`,
})

/** The prompt and the input images, to show what was received. */
const understood = ({ prompt, seen }: Wanted) => [prompt, ...seen.map((what) => `[picture: ${what}]`)].join(' ')

function usageOf({ prompt, seen, quality }: Wanted, pictures: number, partials: number) {
  const text = Math.ceil(Buffer.byteLength(prompt) / 4)
  const input = text + seen.length * seenTokens
  const output = pictures * ((qualities[quality] ?? 0) + partials * partialTokens)
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: text, image_tokens: input - text },
    output_tokens: output,
    total_tokens: input + output,
  }
}
