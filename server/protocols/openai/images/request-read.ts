/**
 * A request for pictures, from JSON or from a form, as one set of fields: the part that Parley reads. Fields that only some upstreams
 * support pass unseen; pictures are in `images`, in the older `image`, or files of a form.
 */
import type { InputPicture, PictureSize } from '#canonical/operation/image'
import type { Form, FormFile, Incoming } from '#canonical/operation/operation'
import { operationNames } from '#protocols/codec/body-names'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { readDataUrl } from '../data-url.ts'
import { type Body, isAbsent, missing, wrong } from '../fields.ts'
import { formTexts } from '../form.ts'

/** A picture stored in an upstream account. */
export interface KeptPicture {
  fileId: string
}

export type AskedPicture = InputPicture | (KeptPicture & { path: string })

export interface ImageFields {
  /** Values as JSON would have them. */
  fields: Body
  images: AskedPicture[]
  mask: AskedPicture | undefined
}

/** Most pictures of one request (docs/mapping.md 1.7). */
const mostImages = 16

/** Throws GatewayError 400 with the field as `param`. */
export function readFields(body: Incoming): ImageFields {
  if (typeof body !== 'string') return fromForm(body)
  const fields = scanObject(body, operationNames).value
  const images = [...listOf(fields), ...looseOf(fields)]
  if (images.length > mostImages) throw wrong('images', `at most ${mostImages} pictures`)
  return { fields, images, mask: isAbsent(fields.mask) ? undefined : pictureAt(fields.mask, 'mask') }
}

function listOf({ images }: Body): AskedPicture[] {
  if (isAbsent(images)) return []
  if (!Array.isArray(images) || images.length === 0) throw wrong('images', `a list of 1 to ${mostImages} pictures`)
  return images.map((image: unknown, index) => pictureAt(image, `images[${index}]`))
}

/** `image` as a text or a list of texts, which some services take in JSON. */
function looseOf({ image }: Body): AskedPicture[] {
  if (isAbsent(image)) return []
  if (typeof image === 'string') return [addressed(image, 'image')]
  if (!Array.isArray(image) || image.length === 0) throw wrong('image', 'an address, or a list of addresses')
  return image.map((one: unknown, index) => addressed(one, `image[${index}]`))
}

function pictureAt(value: unknown, path: string): AskedPicture {
  if (!isObject(value)) throw wrong(path, 'an object with image_url or file_id')
  const { image_url: url, file_id: fileId } = value
  if (isAbsent(url) === isAbsent(fileId)) throw wrong(path, 'an object with either image_url or file_id')
  if (isAbsent(fileId)) return addressed(url, `${path}.image_url`)
  if (typeof fileId !== 'string' || fileId === '') throw wrong(`${path}.file_id`, 'the id of a file')
  return { fileId, path: `${path}.file_id` }
}

function addressed(url: unknown, path: string): InputPicture {
  if (typeof url !== 'string' || url === '') throw wrong(path, 'an address or a data URL')
  const embedded = readDataUrl(url)
  if (embedded && !embedded.mimeType.startsWith('image/')) throw wrong(path, 'the data URL of a picture')
  return { source: embedded ?? { url }, path }
}

/** Fields that are numbers and flags in JSON and texts in a form. */
const numbers = ['n', 'partial_images', 'output_compression']
const flags = ['stream']

function fromForm(form: Form): ImageFields {
  const fields: Body = {}
  for (const [name, text] of formTexts(form)) fields[name] = fromText(name, text)
  const images = form.parts.filter(({ name }) => /^image(\[\d{0,4}\])?$/.test(name)).map(pictureOf)
  if (images.length > mostImages) throw wrong('image', `at most ${mostImages} files`)
  const [mask, second] = form.parts.filter(({ name }) => name === 'mask')
  if (second) throw wrong('mask', 'a single file')
  return { fields, images, mask: mask && pictureOf(mask) }
}

function fromText(name: string, value: string): unknown {
  if (numbers.includes(name) && /^\d{1,9}$/.test(value)) return Number(value)
  if (flags.includes(name) && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  return value === '' ? undefined : value
}

function pictureOf(part: Form['parts'][number]): InputPicture {
  if (!isFile(part)) throw wrong(part.name, 'a file')
  if (part.size === 0) throw wrong(part.name, 'a file that is not empty')
  return { source: { file: part }, path: part.name }
}

const isFile = (part: Form['parts'][number]): part is FormFile => 'open' in part

/** The pictures, of which an edit has at least one. */
export function requireImages({ images }: ImageFields, body: Incoming): void {
  if (images.length === 0) throw missing(typeof body === 'string' ? 'images' : 'image')
}

/** `1536x1024`; undefined for `auto` and for values that only an upstream understands. */
export function sizeIn(size: string | undefined): PictureSize | undefined {
  const [, width, height] = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(size ?? '') ?? []
  return width === undefined || height === undefined ? undefined : { width: Number(width), height: Number(height) }
}
