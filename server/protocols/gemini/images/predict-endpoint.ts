/**
 * `:predict` as Imagen's clients use it: one prompt in `instances`, settings in `parameters`, pictures in `predictions`. Upstreams of
 * Imagen get the client's bytes; for any other the same question is written.
 */
import { type ImageAnswer, type ImageHead, type ImageQuestion, imageCost, type PictureSize, settleImages } from '#canonical/operation/image'
import type { Incoming, OperationEndpoint } from '#canonical/operation/operation'
import { type Fields, invalidField, missingField, readBody } from '#protocols/codec/fields'
import { googleAddresses } from '#protocols/codec/file-address'
import { GatewayError } from '#shared/errors'
import type { GeminiPredictRequest } from '#shared/protocols/gemini/predict'
import { parseObject } from '#wire/json-scan'
import { scan } from '../body-names.ts'
import { readInnerError } from '../error.ts'
import { readPath } from '../path.ts'
import { pickObjects, pickText, protoRules } from '../proto-json.ts'
import { editRequest } from '../request-edit.ts'
import { isImagen } from './predict.ts'

/** Most pictures of one request; the hold covers all of them. */
const mostPictures = 128
/** Settings that change a picture little or not at all. */
const hints = new Set(['addWatermark', 'includeRaiReason', 'includeSafetyAttributes', 'language', 'personGeneration', 'safetySetting'])
const known = new Set(['sampleCount', 'aspectRatio', 'sampleImageSize', 'imageSize', 'outputOptions'])

type Asked = ReturnType<typeof readAsked>
type Instance = Fields<GeminiPredictRequest['instances'][number]>

function readAsked(body: Incoming, path: string | undefined) {
  if (typeof body !== 'string') throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
  const { model } = readPath(path)
  const { fields } = readBody<GeminiPredictRequest>(scan(body).value, protoRules)
  if (!fields.has('instances')) throw missingField('instances')
  const instances = fields.objects('instances')
  if (instances.length === 0) throw invalidField('instances', 'a list with at least one instance')
  const parameters = fields.object('parameters')
  const each = parameters?.integer('sampleCount', 1) ?? 1
  const n = each * instances.length
  if (n > mostPictures) throw invalidField('parameters.sampleCount', `at most ${mostPictures} in all`)
  return { model, instances, parameters, n, bytes: Buffer.byteLength(body) }
}

function promptOf(instance: Instance): string {
  const prompt = instance.text('prompt')
  if (prompt === undefined) throw missingField(instance.pathOf('prompt'))
  if (prompt.trim() === '') throw invalidField(instance.pathOf('prompt'), 'text that is not empty')
  return prompt
}

/** Pixels for a ratio and a step of size. Undefined: the model decides. */
function sizeOf({ parameters }: Pick<Asked, 'parameters'>): PictureSize | undefined {
  const ratio = parameters?.text('aspectRatio')
  const step = parameters?.text('imageSize') ?? parameters?.text('sampleImageSize')
  const longest = /^([124])k$/i.exec(step ?? '')?.[1]
  if (ratio === undefined && longest === undefined) return undefined
  const [, across, down] = /^(\d{1,2}):(\d{1,2})$/.exec(ratio ?? '1:1') ?? []
  const [width, height] = [Number(across), Number(down)]
  if (!(width > 0 && height > 0)) throw invalidField('parameters.aspectRatio', 'WIDTH:HEIGHT, such as 16:9')
  const scale = (Number(longest ?? 1) * 1024) / Math.max(width, height)
  return { width: Math.round(width * scale), height: Math.round(height * scale) }
}

/** Throws GatewayError 400 with the field's path as `param`; unknown fields pass. */
function readHead(body: Incoming, path?: string): ImageHead {
  const asked = readAsked(body, path)
  const prompts = asked.instances.map(promptOf)
  const seen = asked.instances.filter((instance) => instance.has('image')).length
  const cost = imageCost({
    n: asked.n,
    size: sizeOf(asked),
    quality: undefined,
    promptBytes: prompts.reduce((sum, prompt) => sum + Buffer.byteLength(prompt), 0),
    seen,
    fidelity: undefined,
    partials: 0,
  })
  return {
    model: asked.model,
    stream: false,
    n: asked.n,
    maxOutput: cost.pictureTokens,
    inputBytes: 4 * (cost.promptTokens + cost.inputTokens),
    usageAsked: true,
    media: seen > 0 ? ['image'] : [],
    searchAsked: false,
    affinity: [],
    stateRefs: googleAddresses([asked.parameters?.whole(), ...asked.instances.map((instance) => instance.whole())]),
    edits: false,
    partials: 0,
    ...cost,
  }
}

/** The question for another upstream. Throws as readHead does, and `unsupported_value` for several instances. */
function readQuestion(body: Incoming, path?: string): ImageQuestion {
  const asked = readAsked(body, path)
  const [instance, second] = asked.instances
  if (!instance || second) throw new GatewayError('unsupported_value', 'This upstream takes one instance.', { param: 'instances' })
  const size = sizeOf(asked)
  const output = asked.parameters?.object('outputOptions')
  const format = /^image\/(\w+)$/.exec(output?.text('mimeType') ?? '')?.[1]
  const compression = output?.integer('compressionQuality', 0)
  const prompt = promptOf(instance)
  const own = Object.keys(asked.parameters?.whole() ?? {}).filter((name) => !known.has(name))
  const more = Object.keys(instance.whole()).filter((name) => name !== 'prompt')
  return {
    prompt,
    n: asked.n,
    edits: false,
    images: [],
    ...(size && { size }),
    ...(format !== undefined && { format }),
    ...(compression !== undefined && { compression }),
    as: 'bytes',
    partials: 0,
    hints: own.filter((name) => hints.has(name)).map((name) => `parameters.${name}`),
    others: [...own.filter((name) => !hints.has(name)).map((name) => `parameters.${name}`), ...more.map((name) => `instances.0.${name}`)],
  }
}

const noAnswer = () => new GatewayError('upstream_error', 'The upstream sent an answer that holds no predictions.')

/** The client's side of `:predict`. */
export const predictEndpoint: Omit<OperationEndpoint<ImageQuestion, ImageAnswer, ImageHead>, 'style' | 'readError'> = {
  readHead,
  readQuestion,
  passesTo: isImagen,
  editRequest: (body, { model: _, ...edits }) => (typeof body === 'string' ? editRequest(body, edits) : body),
  readWhole(body, _edits, asked) {
    const answer = parseObject(body)
    if (answer?.error) throw readInnerError(answer.error)
    if (!answer) throw noAnswer()
    // If all pictures were filtered out there is no list, or one of reasons: nothing is charged for those.
    const images = pickObjects(answer, 'predictions').filter((one) => pickText(one, 'bytesBase64Encoded') || pickText(one, 'gcsUri')).length
    return { body, usage: settleImages(asked, { images, reported: undefined, unreported: images, partials: 0 }), end: 'complete' }
  },
  writeAnswer: ({ pictures }) => ({
    body: JSON.stringify({
      predictions: pictures.map((picture) => ({
        ...('data' in picture ? { mimeType: picture.mimeType, bytesBase64Encoded: picture.data } : { gcsUri: picture.url }),
        ...(picture.prompt !== undefined && { prompt: picture.prompt }),
      })),
    }),
    losses: [],
  }),
}
