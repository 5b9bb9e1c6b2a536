/** Converts videos between Google's style and OpenAI's. */
import type { Target } from '#canonical/codec'
import type { InlineFile, OperationUpstream, WantedFile } from '#canonical/operation/operation'
import type { VideoBegun, VideoImage, VideoQuestion } from '#canonical/operation/video-question'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { type Fields, invalidField, type JsonObject, readBody } from '#protocols/codec/fields'
import { GatewayError } from '#shared/errors'
import type { GeminiPredictRequest } from '#shared/protocols/gemini/predict'
import { scan } from '../body-names.ts'
import { protoRules } from '../proto-json.ts'

/** Veo's default duration in seconds. */
export const usualSeconds = 8

const hintFields = [
  'seed',
  'fps',
  'personGeneration',
  'enhancePrompt',
  'generateAudio',
  'compressionQuality',
  'resizeMode',
  'task',
] as const
const beside = ['lastFrame', 'video', 'referenceImages', 'mask', 'cameraControl'] as const

/** `:predictLongRunning` as a question. Throws GatewayError 400. */
export function readQuestion(body: string): VideoQuestion {
  const { fields, unread } = readBody<GeminiPredictRequest>(scan(body).value, protoRules)
  const instances = fields.objects('instances')
  const [instance] = instances
  if (!instance) throw invalidField('instances', 'a list with at least one instance')
  const parameters = fields.object('parameters')?.as<JsonObject>()
  const ratio = parameters?.word('aspectRatio', ['16:9', '9:16'])
  const lines = parameters?.text('resolution')
  const hints = hintFields.filter((name) => parameters?.has(name)).map((name) => `parameters.${name}`)
  parameters?.ignore(...hintFields)
  const needs = beside.filter((name) => instance.as<JsonObject>().has(name)).map((name) => `instances[0].${name}`)
  if (needs.length > 0) instance.as<JsonObject>().ignore(...beside)
  const negative = parameters?.text('negativePrompt')
  const image = imageOf(instance)
  const prompt = instance.text('prompt')
  const question = {
    prompt,
    seconds: parameters?.integer('durationSeconds', 1) ?? usualSeconds,
    shape: { ...(ratio && { ratio }), ...(lines !== undefined && { lines }) },
    isNear: false,
    ...(image && { image }),
    ...(negative !== undefined && { negative }),
    count: (parameters?.integer('sampleCount', 1) ?? 1) * instances.length,
    hints,
    needs,
  }
  return { ...question, others: unread() }
}

function imageOf(instance: Fields<GeminiPredictRequest['instances'][number]>): VideoImage | undefined {
  const image = instance.object('image')
  if (!image) return undefined
  const data = image.text('bytesBase64Encoded')
  const mimeType = image.text('mimeType') ?? 'image/png'
  if (data !== undefined) return { source: { data, mimeType }, path: image.path }
  const url = image.text('uri') ?? image.text('gcsUri')
  if (url === undefined) throw invalidField(image.path, 'given by `bytesBase64Encoded` or `uri`')
  return { source: { url }, path: image.path }
}

/** The first picture is inside the request. */
const filesWanted = ({ image }: VideoQuestion): WantedFile[] =>
  image && !('data' in image.source) ? [{ source: image.source, param: image.path }] : []

function writeQuestion(question: VideoQuestion, _: Target, files: readonly InlineFile[] = []) {
  const { prompt, seconds, shape, isNear, image, from, negative, hints, needs, others } = question
  refuseNeeds(needs)
  const losses = lossList()
  if (isNear) losses.adapted('size', 'The upstream uses the nearest size that it supports.')
  if (image && 'url' in image.source) losses.adapted(image.path, 'Parley fetched the picture and sent its bytes.')
  for (const hint of hints) losses.leftOut(hint, 'The upstream does not support this option.')
  recordUnread(others, losses)
  const picture = image && ('data' in image.source ? image.source : files[0])
  const instance = {
    ...(prompt !== undefined && { prompt }),
    ...(picture && { image: { bytesBase64Encoded: picture.data, mimeType: picture.mimeType } }),
    ...(from !== undefined && { video: { uri: from } }),
  }
  const parameters = {
    durationSeconds: seconds,
    ...(shape.ratio && { aspectRatio: shape.ratio }),
    ...(shape.lines !== undefined && { resolution: shape.lines }),
    ...(negative !== undefined && { negativePrompt: negative }),
  }
  const requests: [{ body: Record<string, unknown> }] = [{ body: { instances: [instance], parameters } }]
  return { requests, losses: losses.losses }
}

function refuseNeeds([param]: readonly string[]): void {
  if (param === undefined) return
  throw new GatewayError('unsupported_value', `The upstream makes no videos by \`${param}\`.`, { param })
}

/** Google's side of a conversion. The answer is read when it is stored. */
export const conversion: Pick<OperationUpstream<VideoQuestion, VideoBegun>, 'filesWanted' | 'writeQuestion'> = {
  filesWanted,
  writeQuestion,
}
