/** The part that Parley reads of a request for pictures, and its largest usage. */
import type { StateRef } from '#canonical/codec'
import { type ImageHead, type ImageQuestion, type InputPicture, imageCost } from '#canonical/operation/image'
import type { Incoming, Variant } from '#canonical/operation/operation'
import { GatewayError } from '#shared/errors'
import { type Body, missing, readCount, readFlag, readModel, readText, readWord, wrong } from '../fields.ts'
import { formOf } from '../form.ts'
import { type AskedPicture, type ImageFields, readFields, requireImages, sizeIn } from './request-read.ts'

/** Most pictures of one request; the hold covers all of them. */
const mostPictures = 128
const mostPartials = 3

/** Variations take one picture, in a form, without a prompt. */
function readVariation(asked: ImageFields, body: Incoming): void {
  formOf(body)
  requireImages(asked, body)
  if (asked.images.length > 1) throw wrong('image', 'a single file')
}

/** Throws GatewayError 400 with the field as `param`; unknown fields and values pass. */
export function readHead(body: Incoming, _path?: string, variant?: Variant): ImageHead {
  const asked = readFields(body)
  const { fields, images, mask } = asked
  const model = readModel(fields.model)
  const promptBytes = variant === 'variation' ? 0 : Buffer.byteLength(readPrompt(fields))
  if (variant === 'edit') requireImages(asked, body)
  if (variant === 'variation') readVariation(asked, body)
  readWord(fields, 'response_format', ['url', 'b64_json'])
  for (const word of ['background', 'output_format']) readText(fields, word)
  readCount(fields, 'output_compression', 100, 0)
  const n = readCount(fields, 'n', mostPictures) ?? 1
  const partials = readCount(fields, 'partial_images', mostPartials, 0) ?? 0
  const cost = imageCost({
    n,
    size: sizeIn(readText(fields, 'size')),
    quality: readText(fields, 'quality'),
    promptBytes,
    seen: images.length + (mask ? 1 : 0),
    fidelity: readText(fields, 'input_fidelity'),
    partials,
  })
  return {
    model,
    stream: readFlag(fields, 'stream') ?? false,
    n,
    maxOutput: cost.pictureTokens,
    // Bytes of pictures are not tokens.
    inputBytes: 4 * (cost.promptTokens + cost.inputTokens),
    usageAsked: true,
    media: images.length > 0 ? ['image'] : [],
    searchAsked: false,
    affinity: [],
    stateRefs: keptIn(asked),
    edits: variant === 'edit',
    partials,
    ...cost,
  }
}

function readPrompt(fields: Body): string {
  const prompt = readText(fields, 'prompt')
  if (prompt === undefined) throw missing('prompt')
  if (prompt.trim() === '') throw wrong('prompt', 'text that is not empty')
  return prompt
}

/** Files in an account are shared by all callers of a channel, so the relay refuses them. */
function keptIn({ images, mask }: ImageFields): StateRef[] {
  return [...images, ...(mask ? [mask] : [])].flatMap((picture) => ('fileId' in picture ? [{ kind: 'file', id: picture.fileId }] : []))
}

const known = new Set(['model', 'prompt', 'n', 'size', 'quality', 'background', 'output_format', 'output_compression'])
const handled = new Set(['response_format', 'stream', 'partial_images', 'images', 'image', 'mask'])
/** Settings that change a picture little or not at all. */
const hints = new Set(['user', 'safety_identifier', 'moderation', 'style', 'input_fidelity'])

const noVariations = () =>
  new GatewayError('unsupported_here', 'Variations need a channel whose upstream makes them. Use /v1/images/edits with a prompt.', {
    param: 'model',
  })

/**
 * The question for another style. Throws GatewayError 400 with the field as `param`; `unsupported_here` for variations, which no other
 * style has.
 */
export function readQuestion(body: Incoming, _path?: string, variant?: Variant): ImageQuestion {
  if (variant === 'variation') throw noVariations()
  const { fields, images, mask } = readFields(body)
  const size = readText(fields, 'size')
  const pixels = sizeIn(size)
  if (size !== undefined && size !== 'auto' && !pixels) throw wrong('size', 'WIDTHxHEIGHT or auto')
  const own = Object.keys(fields).filter((name) => !known.has(name) && !handled.has(name) && fields[name] !== null)
  const [quality, background, format] = ['quality', 'background', 'output_format'].map((name) => readText(fields, name))
  const compression = readCount(fields, 'output_compression', 100, 0)
  return {
    prompt: readPrompt(fields),
    n: readCount(fields, 'n', mostPictures) ?? 1,
    edits: variant === 'edit',
    images: images.filter(isHere),
    ...(mask && isHere(mask) && { mask }),
    ...(pixels && { size: pixels }),
    ...(isSaid(quality) && { quality }),
    ...(isSaid(background) && { background }),
    ...(format !== undefined && { format }),
    ...(compression !== undefined && { compression }),
    as: fields.response_format === 'url' ? 'url' : 'bytes',
    partials: readFlag(fields, 'stream') ? (readCount(fields, 'partial_images', mostPartials, 0) ?? 0) : 0,
    hints: own.filter((name) => hints.has(name)),
    others: own.filter((name) => !hints.has(name)),
  }
}

const isSaid = (word: string | undefined): word is string => word !== undefined && word !== 'auto'

/** The others were refused before any upstream request. */
const isHere = (picture: AskedPicture): picture is InputPicture => 'source' in picture
