/** Pictures as OpenAI writes them: whole answers, and finished pictures of a stream. */
import type { CodecContext } from '#canonical/codec'
import type { ImageAnswer, ImageQuestion, Picture, PictureBytes } from '#canonical/operation/image'
import type { WrittenAnswer } from '#canonical/operation/operation'
import { tokensIn } from '#canonical/usage'
import { writeDataUrl } from '../data-url.ts'
import type { Body } from '../fields.ts'
import { writeImageUsage } from './usage.ts'

/** Properties shared by all pictures of an answer. */
const shared = ['background', 'output_format', 'quality', 'size'] as const

const formats: Readonly<Record<string, string>> = { 'image/jpeg': 'jpeg', 'image/webp': 'webp', 'image/gif': 'gif' }

/** Other styles return bytes: a client that requested a URL gets a data URL. */
export function writeAnswer(answer: ImageAnswer, question: ImageQuestion, codecContext: CodecContext): WrittenAnswer {
  return { body: JSON.stringify(written(answer, question, codecContext)), losses: [] }
}

/** The answer as the events of a stream, for a client that requested one. */
export function writeStream(answer: ImageAnswer, question: ImageQuestion, codecContext: CodecContext): Uint8Array {
  const whole = written(answer, { ...question, as: 'bytes' }, codecContext)
  return completedEvents(whole, whole.data, question.edits)
}

function written({ pictures, usage }: ImageAnswer, { as }: ImageQuestion, codecContext: CodecContext): Body & { data: Body[] } {
  const [first] = pictures
  return {
    created: Math.floor(codecContext.now() / 1000),
    data: pictures.map((picture) => ({
      ...sourceOf(picture, as),
      ...(picture.prompt !== undefined && { revised_prompt: picture.prompt }),
    })),
    ...(first && 'data' in first && { output_format: formats[first.mimeType] ?? 'png', ...sizeOf(first) }),
    ...(tokensIn(usage) > 0 && { usage: writeImageUsage(usage) }),
  }
}

/** A URL from the upstream stays a URL, whatever was requested. */
function sourceOf(picture: Picture, as: ImageQuestion['as']): Body {
  if ('url' in picture) return { url: picture.url }
  return as === 'url' ? { url: writeDataUrl(picture.mimeType, picture.data) } : { b64_json: picture.data }
}

/** Width and height are at the beginning of a PNG. */
function sizeOf({ data, mimeType }: PictureBytes): { size?: string } {
  const head = Buffer.from(data.slice(0, 64), 'base64')
  return mimeType === 'image/png' && head.length >= 24 ? { size: `${head.readUInt32BE(16)}x${head.readUInt32BE(20)}` } : {}
}

/** One finished picture after the other. The last one has the total usage. */
export function completedEvents(answer: Body, images: readonly Body[], edits: boolean): Uint8Array {
  const type = edits ? 'image_edit.completed' : 'image_generation.completed'
  const common = Object.fromEntries(shared.flatMap((name) => (answer[name] === undefined ? [] : [[name, answer[name]]])))
  const events = images.map((image, index) => {
    const usage = index === images.length - 1 && answer.usage !== undefined ? { usage: answer.usage } : {}
    const event = { type, ...image, created_at: answer.created, ...common, ...usage }
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
  })
  return new TextEncoder().encode(events.join(''))
}
