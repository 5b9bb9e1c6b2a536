/** Pictures by generateContent, from models that also write text: input pictures are next to the prompt, and each request returns one. */
import type { Target } from '#canonical/codec'
import type { LossList } from '#canonical/loss'
import { type ImageQuestion, type Picture, settleImages } from '#canonical/operation/image'
import type { InlineFile, OperationHead, OperationUpstream } from '#canonical/operation/operation'
import type { Usage } from '#canonical/usage'
import { lossList } from '#protocols/codec/field-writers'
import { GatewayError } from '#shared/errors'
import { blockOf, finishOf, parseAnswer, partsOf } from '../generate-content/response-meter.ts'
import { type Body, pick, pickObject, pickObjects, pickText } from '../proto-json.ts'
import { nothingDelivered, readUsage } from '../usage.ts'
import { estimateFor } from './estimate.ts'
import { geminiRatios, shapeOf } from './size.ts'

type Written = ReturnType<OperationUpstream['writeQuestion']>

/** Requests that one question may become. */
const mostRequests = 10

/** One request for each picture. Throws GatewayError `unsupported_value`. */
export function writeGenerate(question: ImageQuestion, { capabilities }: Target, files: readonly InlineFile[]): Written {
  const losses = lossList()
  if (question.n > mostRequests) {
    throw new GatewayError('unsupported_value', `The upstream makes at most ${mostRequests} pictures of one prompt.`, { param: 'n' })
  }
  const shape = shapeOf(question, geminiRatios, capabilities.imageSizes === true, losses)
  forget(question, losses)
  const config = {
    ...(shape.ratio !== undefined && { aspectRatio: shape.ratio }),
    ...(shape.steps !== undefined && { imageSize: shape.steps }),
  }
  const pictures = files.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }))
  const body = {
    contents: [{ role: 'user', parts: [...pictures, { text: question.prompt }] }],
    generationConfig: {
      // Older models only make pictures if text is allowed too.
      responseModalities: ['TEXT', 'IMAGE'],
      ...(Object.keys(config).length > 0 && { imageConfig: config }),
    },
  }
  return { requests: [{ body }, ...Array.from({ length: question.n - 1 }, () => ({ body }))], losses: losses.losses }
}

/** Losses of options that these models lack. */
function forget({ format, compression }: ImageQuestion, losses: LossList): void {
  if (format !== undefined && format !== 'png') losses.dropped('format', 'The upstream chooses the format of its pictures.')
  if (compression !== undefined) losses.leftOut('compression', 'The upstream chooses how its pictures are compressed.')
}

/** The result of one request. Throws `upstream_error`, or `upstream_rejected` when the upstream refused to make the picture. */
export function readGenerate(
  text: string,
  question: ImageQuestion,
  asked: OperationHead | undefined,
): { pictures: Picture[]; usage: Usage } {
  const answer = parseAnswer(text)
  const pictures = pickObjects(answer, 'candidates').flatMap((candidate) => partsOf(candidate).flatMap(pictureIn))
  if (pictures.length === 0) throw noPicture(answer)
  const reported = readUsage(pick(answer, 'usageMetadata'), nothingDelivered())?.usage
  // Where the output is not split by kind, all but the thoughts is the picture.
  if (reported && reported.out.image === 0) reported.out.image = reported.out.total - reported.out.reasoning
  const unreported = reported ? 0 : pictures.length
  return { pictures, usage: settleImages(estimateFor(question, asked), { images: pictures.length, reported, unreported, partials: 0 }) }
}

/** Pictures among the thoughts are sketches. */
function pictureIn(part: Body): Picture[] {
  const inline = part.thought === true ? undefined : pickObject(part, 'inlineData')
  const mimeType = inline && pickText(inline, 'mimeType')
  const data = inline && pickText(inline, 'data')
  return data && mimeType?.startsWith('image/') ? [{ data, mimeType }] : []
}

const filtered = /SAFETY|PROHIBITED|BLOCKLIST|SPII|RECITATION|IMAGE_OTHER|JAILBREAK|MODEL_ARMOR/

function noPicture(answer: Body): GatewayError {
  const reasons = [blockOf(answer), ...pickObjects(answer, 'candidates').map(finishOf)]
  return reasons.some((reason) => reason !== undefined && filtered.test(reason)) ? blocked() : new GatewayError('upstream_rejected', silent)
}

const silent = 'The model answered without a picture. Ask for a picture in plain words.'

/** The refusal of a prompt or picture by the upstream's filters. */
export const blocked = () =>
  new GatewayError('upstream_rejected', 'The upstream refused this prompt or picture for reasons of safety.', {
    publicCode: 'moderation_blocked',
    param: 'prompt',
  })
