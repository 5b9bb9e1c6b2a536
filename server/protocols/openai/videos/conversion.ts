/** Converts videos between OpenAI's style and Google's. */
import type { Target } from '#canonical/codec'
import type { FormFile, Incoming, InlineFile, OperationUpstream, WantedFile } from '#canonical/operation/operation'
import type { VideoBegun, VideoImage, VideoQuestion } from '#canonical/operation/video-question'
import { shapeOf, sizeOf } from '#canonical/operation/video-size'
import { operationNames } from '#protocols/codec/body-names'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { type Fields, invalidField, type JsonObject, readBody } from '#protocols/codec/fields'
import { GatewayError } from '#shared/errors'
import { scanObject } from '#wire/json-scan'
import { readDataUrl, writeDataUrl } from '../data-url.ts'
import { nestedTexts } from '../form.ts'

const imagePath = 'input_reference'

/** A request as a question. `seconds`: its duration. Throws GatewayError 400. */
export function readQuestion(body: Incoming, seconds: number): VideoQuestion {
  const isJson = typeof body === 'string'
  const { fields, unread } = readBody<JsonObject>(isJson ? scanObject(body, operationNames).value : nestedTexts(body))
  fields.ignore('model', 'seconds')
  const size = fields.text('size')
  const shape = size === undefined ? undefined : shapeOf(size)
  if (size !== undefined && !shape) throw invalidField('size', 'width and height, as `1280x720`')
  const file = isJson ? undefined : body.parts.find((part): part is FormFile => 'filename' in part && part.name === imagePath)
  const reference = file ? undefined : fields.object(imagePath)
  const image = file ? { source: { file }, path: imagePath } : reference && imageOf(reference)
  const from = isJson ? fields.object('video')?.as<JsonObject>().text('uri') : undefined
  const question = {
    prompt: fields.text('prompt'),
    seconds,
    shape: shape ? { ratio: shape.ratio, lines: shape.lines } : {},
    isNear: shape?.isExact === false,
    ...(image && { image }),
    ...(from !== undefined && { from }),
    ...{ count: 1, hints: [], needs: [] },
  }
  return { ...question, others: unread() }
}

function imageOf(reference: Fields<JsonObject>): VideoImage {
  const url = reference.text('image_url')
  const path = reference.pathOf('image_url')
  if (url === undefined) throw invalidField(path, 'given: the file is in the account of another upstream')
  if (!/^data:/i.test(url)) return { source: { url }, path }
  const inline = readDataUrl(url)
  if (!inline) throw invalidField(path, 'a link or a well-formed data URL')
  return { source: inline, path }
}

/** The first picture is inside the request. */
const filesWanted = ({ image }: VideoQuestion): WantedFile[] =>
  image && !('data' in image.source) ? [{ source: image.source, param: image.path }] : []

function writeQuestion(question: VideoQuestion, { model }: Target, files: readonly InlineFile[] = []) {
  const { prompt, seconds, shape, image, negative, count, hints, needs, others } = question
  const [need] = needs
  if (need !== undefined) throw new GatewayError('unsupported_value', `The upstream makes no videos by \`${need}\`.`, { param: need })
  if (count > 1) throw new GatewayError('unsupported_value', 'The upstream makes one video at a time.', { param: 'parameters.sampleCount' })
  const isSized = shape.ratio !== undefined || shape.lines !== undefined
  const size = sizeOf(shape)
  if (isSized && size === undefined)
    throw new GatewayError('unsupported_value', 'The upstream makes no video of that size.', { param: 'parameters.resolution' })
  const losses = lossList()
  if (shape.lines?.toLowerCase() === '1080p')
    losses.adapted('parameters.resolution', 'The upstream uses the nearest size that it supports.')
  if (negative !== undefined) losses.dropped('parameters.negativePrompt', 'The upstream has no negative prompts.')
  for (const hint of hints) losses.leftOut(hint, 'The upstream does not support this option.')
  recordUnread(others, losses)
  const picture = image && ('data' in image.source ? image.source : files[0])
  const body = {
    ...{ model, prompt: prompt ?? '', seconds: String(seconds) },
    // Google's default is landscape.
    size: size ?? sizeOf({}),
    ...(picture && { [imagePath]: { image_url: writeDataUrl(picture.mimeType, picture.data) } }),
  }
  const requests: [{ body: Record<string, unknown> }] = [{ body }]
  return { requests, losses: losses.losses }
}

/** OpenAI's side of a conversion. The answer is read when it is stored. */
export const conversion: Pick<OperationUpstream<VideoQuestion, VideoBegun>, 'filesWanted' | 'writeQuestion'> = {
  filesWanted,
  writeQuestion,
}
