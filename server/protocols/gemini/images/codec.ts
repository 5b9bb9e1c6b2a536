/**
 * Pictures from Google's models: Gemini's by generateContent, Imagen's by predict. Start with `generate.ts` and `predict.ts`. Google's
 * clients use predict (`predict-endpoint.ts`), or a conversation, which is handled elsewhere.
 */
import type { Target } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import { addTokens, type ImageAnswer, type ImageHead, type ImageQuestion } from '#canonical/operation/image'
import type { InlineFile, OperationCodec, OperationHead, ReadOperation, WantedFile } from '#canonical/operation/operation'
import type { Usage } from '#canonical/usage'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { knownFields, lossesIn } from '#protocols/codec/known-fields'
import { GatewayError } from '#shared/errors'
import { parseObject } from '#wire/json-scan'
import { readError } from '../error.ts'
import { lossesBesideMedia } from '../media-answer.ts'
import { readGenerate, writeGenerate } from './generate.ts'
import { isImagen, readPredict, writePredict } from './predict.ts'
import { predictEndpoint } from './predict-endpoint.ts'

/** The bytes of every picture are inside the request. */
function filesWanted({ images, mask }: ImageQuestion, { model }: Target): WantedFile[] {
  if (mask || isImagen(model)) return []
  return images.flatMap(({ source, path }) => ('data' in source ? [] : [{ source, param: path }]))
}

/** Pictures given as bytes and fetched ones, in the caller's order. */
function inOrder({ images }: ImageQuestion, files: readonly InlineFile[]): InlineFile[] {
  const left = [...files]
  return images.flatMap(({ source }) => ('data' in source ? source : (left.shift() ?? [])))
}

function writeQuestion(question: ImageQuestion, target: Target, files: readonly InlineFile[] = []) {
  const { mask } = question
  if (mask)
    throw new GatewayError('unsupported_value', 'This upstream edits whole pictures and does not accept a mask.', { param: mask.path })
  const written = isImagen(target.model) ? writePredict(question, target) : writeGenerate(question, target, inOrder(question, files))
  return { requests: written.requests, losses: [...written.losses, ...lossesOf(question)] }
}

/** Losses of options that no Google model has. */
function lossesOf({ background, partials, as, hints, others, images }: ImageQuestion): readonly Loss[] {
  const losses = lossList()
  if (background === 'transparent') losses.dropped('background', 'The upstream makes pictures without transparency.')
  if (partials > 0) losses.leftOut('partials', 'The upstream shows no unfinished pictures.')
  if (as === 'url') losses.adapted('response_format', 'The upstream returns bytes: the URL is a data URL.')
  for (const hint of hints) losses.leftOut(hint, 'The upstream does not support this option.')
  recordUnread(others, losses)
  if (images.some(({ source }) => 'url' in source)) losses.adapted('images', 'Parley fetched the picture and sent its bytes.')
  return losses.losses
}

/** Fields of predicted pictures. A filtered one has the reason, and is reported. */
const predicted = knownFields('metadata model deployedModelId modelDisplayName modelVersionId', {
  predictions: knownFields('bytesBase64Encoded mimeType prompt'),
})

function readAnswer(bodies: readonly string[], question: ImageQuestion, asked?: OperationHead): ReadOperation<ImageAnswer> {
  const answers = bodies.map((body) => parseObject(body) ?? {})
  const parts = answers.map((answer, at) => {
    const body = bodies[at] ?? ''
    return Array.isArray(answer.predictions) ? readPredict(answer, question, asked) : readGenerate(body, question, asked)
  })
  const usage = parts.map((part) => part.usage).reduce(joined)
  const losses = answers.flatMap((answer) =>
    Array.isArray(answer.predictions) ? lossesIn([answer], predicted) : lossesBesideMedia(answer),
  )
  return { answer: { pictures: parts.flatMap(({ pictures }) => pictures), usage }, usage, losses }
}

function joined(one: Usage, other: Usage): Usage {
  return {
    ...addTokens(one, other),
    units: { ...one.units, images: one.units.images + other.units.images },
    provenance: one.provenance === other.provenance ? one.provenance : 'partial',
  }
}

/** Pictures from Google's models. */
export const imagesCodec: OperationCodec<ImageQuestion, ImageAnswer, ImageHead> = {
  style: 'gemini',
  ...predictEndpoint,
  filesWanted,
  writeQuestion,
  readAnswer,
  readError,
}
