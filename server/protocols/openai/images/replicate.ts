/**
 * Pictures by Replicate's predictions, for clients of OpenAI's style. One request waits for the picture, at most a minute; then the
 * prediction is cancelled. Pictures stay at a Replicate URL for an hour. Read:
 * https://replicate.com/docs/topics/predictions/create-a-prediction (`Prefer: wait`),
 * https://replicate.com/changelog/2025-10-16-prediction-deadlines (`Cancel-After`), and the fields that github vercel/ai packages/replicate
 * sends.
 */
import type { Target } from '#canonical/codec'
import { type ImageAnswer, type ImageQuestion, imageCost, settleImages } from '#canonical/operation/image'
import type { OperationHead, OperationUpstream, ReadOperation, WrittenOperation } from '#canonical/operation/operation'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { knownFields, lossesIn } from '#protocols/codec/known-fields'
import { GatewayError } from '#shared/errors'
import { parseObject } from '#wire/json-scan'
import { readError as readErrorOfOpenai } from '../error.ts'

const headers = { prefer: 'wait=60', 'cancel-after': '60s' }

function writeQuestion(question: ImageQuestion, { model, stream }: Target) {
  const { prompt, n, size, edits, format, quality, background, compression, as, hints, others } = question
  // The name of the field for a picture differs from model to model.
  if (edits) throw new GatewayError('unsupported_value', 'This upstream makes new pictures only.', { param: 'image' })
  if (stream) throw new GatewayError('unsupported_value', 'This upstream does not stream.', { param: 'stream' })
  const losses = lossList()
  if (as === 'bytes') losses.altered('response_format', 'The upstream returns a URL of its picture, which is valid for an hour.')
  if (background === 'transparent') losses.dropped('background', 'The upstream has no such setting.')
  const unsupported = { quality, format, compression }
  for (const [name, value] of Object.entries(unsupported))
    if (value !== undefined) losses.dropped(name, 'The upstream has no such setting.')
  for (const hint of hints) losses.leftOut(hint, 'The upstream does not support this option.')
  recordUnread(others, losses)
  const input = { prompt, ...(n > 1 && { num_outputs: n }), ...(size && { size: `${size.width}x${size.height}` }) }
  const [, version] = model.split(':')
  const written: WrittenOperation = { body: { ...(version !== undefined && { version }), input }, headers }
  return { requests: [written] as [WrittenOperation], losses: losses.losses }
}

/** Fields of a prediction: its input and its progress. */
const known = knownFields(
  `id model version input output error status logs metrics urls created_at started_at completed_at deadline source data_removed webhook
  webhook_events_filter`,
)

/** Throws `upstream_rejected` for a prediction that failed, `upstream_timeout` for one that took too long. */
function readAnswer([body = '']: readonly string[], question: ImageQuestion, asked?: OperationHead): ReadOperation<ImageAnswer> {
  const prediction = parseObject(body)
  if (!prediction || typeof prediction.status !== 'string') throw broken()
  if (prediction.status === 'failed') throw failed(prediction.error)
  // One whose picture is there may still be called `processing`: vercel/ai packages/replicate/src/replicate-image-model.test.ts.
  if (prediction.output === null || prediction.output === undefined)
    throw new GatewayError('upstream_timeout', 'The picture took longer than a minute.')
  const output = Array.isArray(prediction.output) ? prediction.output : [prediction.output]
  const pictures = output.flatMap((url) => (typeof url === 'string' && /^https?:/.test(url) ? [{ url }] : []))
  if (pictures.length === 0) throw broken()
  const { prompt, size, quality } = question
  const cost = imageCost({ n: 1, size, quality, promptBytes: Buffer.byteLength(prompt), seen: 0, fidelity: 'low', partials: 0 })
  const estimate = { ...cost, ...(asked?.priced && { priced: asked.priced }) }
  const usage = settleImages(estimate, { images: pictures.length, reported: undefined, unreported: pictures.length, partials: 0 })
  return { answer: { pictures, usage }, usage, losses: lossesIn([prediction], known) }
}

const broken = () => new GatewayError('upstream_error', 'The upstream sent an answer that holds no picture.')

/** Its models report a filter's refusal as text. */
const failed = (error: unknown) =>
  typeof error === 'string' && /nsfw|sensitive|safety/i.test(error)
    ? new GatewayError('upstream_rejected', 'The upstream refused this prompt for reasons of safety.', {
        publicCode: 'moderation_blocked',
        param: 'prompt',
      })
    : new GatewayError('upstream_error', 'The upstream failed to make the picture.')

/** Error messages are in `detail` and `title`. */
function readError(status: number, headers: Headers, body: string): GatewayError {
  const reported = parseObject(body)
  const message = reported?.detail ?? reported?.title
  return readErrorOfOpenai(status, headers, typeof message === 'string' ? JSON.stringify({ error: { message } }) : body)
}

/** Pictures from Replicate's models. */
export const replicateImages: OperationUpstream<ImageQuestion, ImageAnswer> = { style: 'replicate', writeQuestion, readAnswer, readError }
