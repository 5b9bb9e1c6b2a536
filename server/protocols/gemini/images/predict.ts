/** Pictures by Imagen's `:predict`: a prompt and parameters as input, several pictures as output; no tokens are reported. */
import type { Target } from '#canonical/codec'
import type { LossList } from '#canonical/loss'
import { type ImageQuestion, type Picture, settleImages } from '#canonical/operation/image'
import type { OperationHead, OperationUpstream, WrittenOperation } from '#canonical/operation/operation'
import type { Usage } from '#canonical/usage'
import { lossList } from '#protocols/codec/field-writers'
import { GatewayError } from '#shared/errors'
import { type Body, pickObjects, pickText } from '../proto-json.ts'
import { estimateFor } from './estimate.ts'
import { blocked } from './generate.ts'
import { imagenRatios, shapeOf } from './size.ts'

type Written = ReturnType<OperationUpstream['writeQuestion']>

/** Pictures of one request, and of one question. */
const mostAtOnce = 4
const mostPictures = 16

/** True for models that use `:predict`. */
export const isImagen = (model: string) => /(^|\/)imagen/i.test(model)

/** As many requests as the pictures need. Throws GatewayError `unsupported_value`. */
export function writePredict(question: ImageQuestion, { capabilities }: Target): Written {
  const [image] = question.images
  if (image) throw new GatewayError('unsupported_value', 'This model only makes pictures from text.', { param: image.path })
  if (question.n > mostPictures) {
    throw new GatewayError('unsupported_value', `The upstream makes at most ${mostPictures} pictures of one prompt.`, { param: 'n' })
  }
  const losses = lossList()
  const shape = shapeOf(question, imagenRatios, capabilities.imageSizes === true, losses)
  const parameters = {
    ...(shape.ratio !== undefined && { aspectRatio: shape.ratio }),
    ...(shape.steps !== undefined && { sampleImageSize: shape.steps === '4K' ? '2K' : shape.steps }),
    ...outputOf(question, losses),
    includeRaiReason: true,
  }
  const request = (sampleCount: number): WrittenOperation => ({
    body: { instances: [{ prompt: question.prompt }], parameters: { sampleCount, ...parameters } },
    variant: 'predict',
  })
  const rest = Math.ceil(question.n / mostAtOnce) - 1
  const counts = Array.from({ length: rest }, (_, index) => Math.min(mostAtOnce, question.n - (index + 1) * mostAtOnce))
  return { requests: [request(Math.min(mostAtOnce, question.n)), ...counts.map(request)], losses: losses.losses }
}

function outputOf({ format, compression }: ImageQuestion, losses: LossList): Body {
  if (format === undefined) return {}
  if (format !== 'png' && format !== 'jpeg') {
    losses.dropped('format', 'The upstream makes PNG and JPEG only.')
    return {}
  }
  return { outputOptions: { mimeType: `image/${format}`, ...(compression !== undefined && { compressionQuality: compression }) } }
}

/** Throws `upstream_rejected` when all pictures were filtered out; some may be, and are not charged. */
export function readPredict(
  answer: Body,
  question: ImageQuestion,
  asked: OperationHead | undefined,
): { pictures: Picture[]; usage: Usage } {
  const pictures = pickObjects(answer, 'predictions').flatMap(pictureIn)
  if (pictures.length === 0) throw blocked()
  const made = { images: pictures.length, reported: undefined, unreported: pictures.length, partials: 0 }
  return { pictures, usage: settleImages(estimateFor(question, asked), made) }
}

function pictureIn(prediction: Body): Picture[] {
  const data = pickText(prediction, 'bytesBase64Encoded')
  const prompt = pickText(prediction, 'prompt')
  if (!data) return []
  return [{ data, mimeType: pickText(prediction, 'mimeType') ?? 'image/png', ...(prompt !== undefined && { prompt }) }]
}
