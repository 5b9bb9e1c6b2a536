/** Image generation and edits: the canonical question and answer of all styles, token estimates for images, and what is charged. */

import { noUsage, type Usage } from '#canonical/usage'
import type { FormFile, OperationHead } from './operation.ts'

/** An input image. */
export interface InputPicture {
  /** `data` is base64 without a prefix. */
  source: { data: string; mimeType: string } | { url: string } | { file: FormFile }
  /** Its path in the caller's body. */
  path: string
}

/** Pixels. */
export interface PictureSize {
  width: number
  height: number
}

/** A request for images. */
export interface ImageQuestion {
  prompt: string
  n: number
  /** True when existing images are edited. */
  edits: boolean
  images: InputPicture[]
  mask?: InputPicture
  /** Absent = the model decides. */
  size?: PictureSize
  quality?: string
  background?: string
  /** `png`, `jpeg`, `webp`. */
  format?: string
  /** 0 to 100. */
  compression?: number
  /** How the images are returned. */
  as: 'bytes' | 'url'
  /** Number of partial images in a stream. */
  partials: number
  /** Options that only the caller's style has, by wire name: `hints` change little, `others` may change the image. */
  hints: string[]
  others: string[]
}

/** A generated image. */
export type Picture = (PictureBytes | { url: string }) & {
  /** The prompt as the model rewrote it. */
  prompt?: string
}

/** An image as bytes. */
export interface PictureBytes {
  /** Base64. */
  data: string
  mimeType: string
}

/** The answer to a request. */
export interface ImageAnswer {
  pictures: Picture[]
  usage: Usage
}

/** What billing needs to know of a request for images. */
export interface ImageHead extends OperationHead {
  edits: boolean
  partials: number
  /** Estimated tokens per image where the upstream reports none. */
  pictureTokens: number
  /** Estimated tokens of the prompt and the input images. */
  promptTokens: number
  inputTokens: number
}

/**
 * Output tokens of a one-megapixel image by quality, usual and maximum. OpenAI's guide has 272, 1,056 and 4,160 for the first GPT
 * image models; its calculator says 7,024 at high quality for the second. Google's are 1,290 at any quality, 2,520 at most. Nothing
 * is published above `high`.
 */
const outputTokens = {
  low: { usual: 272, most: 1700 },
  medium: { usual: 1056, most: 1800 },
  high: { usual: 4160, most: 7100 },
  xhigh: { usual: 8320, most: 14_200 },
  max: { usual: 16_640, most: 28_400 },
} as const

/** Tokens per partial image of a stream (OpenAI's guide). */
export const partialTokens = 100

/** Tokens of an input image: 581 as tiles, and 6,240 more at high fidelity (OpenAI's guide, the largest). */
const seenTokens = { low: 600, high: 7000 } as const

const megapixel = 1024 * 1024

/** What the cost of a request depends on. */
export interface ImageSettings {
  n: number
  size: PictureSize | undefined
  quality: string | undefined
  /** Bytes of the prompt. */
  promptBytes: number
  /** Number of input images, including the mask. */
  seen: number
  /** Input fidelity. */
  fidelity: string | undefined
  partials: number
}

/** Estimated and maximum cost of a request. Tokens grow less than pixels, so they are scaled by the square root. */
export function imageCost({ n, size, quality = '', promptBytes, seen, fidelity, partials }: ImageSettings) {
  const row = isQuality(quality) ? outputTokens[quality] : { usual: outputTokens.medium.usual, most: outputTokens.high.most }
  const growth = Math.sqrt(Math.max(1, size ? size.width * size.height : 1.5 * megapixel) / megapixel)
  const tokens = (each: number) => Math.ceil(each * Math.max(1, growth))
  const inputTokens = seen * seenTokens[fidelity === 'low' ? 'low' : 'high']
  const most = noUsage()
  // A dense script needs more tokens than one per four bytes.
  most.in.fresh = Math.ceil(promptBytes / 2)
  most.in.image = inputTokens
  most.out.image = n * (tokens(row.most) + partials * partialTokens)
  most.out.total = most.out.image
  most.units.images = n
  return { most, pictureTokens: tokens(row.usual), promptTokens: Math.ceil(promptBytes / 4), inputTokens }
}

const isQuality = (word: string): word is keyof typeof outputTokens => Object.hasOwn(outputTokens, word)

/** The figures of an upstream. */
export type ReportedImageUsage = Pick<Usage, 'in' | 'out' | 'raw'>

/** The sum of two answers to one question. */
export function addTokens<Reported extends ReportedImageUsage>(one: Reported, other: ReportedImageUsage): Reported {
  const input = { ...one.in, fresh: one.in.fresh + other.in.fresh, image: one.in.image + other.in.image }
  input.cacheRead += other.in.cacheRead
  const { total, reasoning, image } = other.out
  const output = { ...one.out, total: one.out.total + total, reasoning: one.out.reasoning + reasoning, image: one.out.image + image }
  return { ...one, in: input, out: output, raw: other.raw }
}

/** What was delivered. */
export interface Made {
  /** Number of images delivered. */
  images: number
  /** The upstream's figures; zeros when it reported none. */
  reported: ReportedImageUsage | undefined
  /** Delivered images that its figures do not cover. */
  unreported: number
  /** Partial images among those. */
  partials: number
}

/** The usage to charge. Images are counted here; tokens are the upstream's, estimated where they are charged and not reported. */
export function settleImages(asked: Pick<ImageHead, 'priced' | 'pictureTokens' | 'promptTokens' | 'inputTokens'>, made: Made): Usage {
  const usage = noUsage()
  const { reported, unreported, partials } = made
  usage.units.images = made.images
  if (reported) {
    usage.in = { ...reported.in }
    usage.out = { ...reported.out }
    usage.raw = reported.raw
  }
  usage.provenance = 'provider'
  if (unreported + partials === 0 || asked.priced?.tokens === false) return usage
  usage.provenance = reported ? 'partial' : 'estimated'
  const more = unreported * asked.pictureTokens + partials * partialTokens
  usage.out.image += more
  usage.out.total += more
  if (!reported) {
    usage.in.fresh = asked.promptTokens
    usage.in.image = asked.inputTokens
  }
  return usage
}
