/**
 * Pictures made from words, and pictures changed by words: the one question and the one answer between the styles, how many
 * tokens a picture is where nobody says, and what is charged.
 */

import { noUsage, type Usage } from '#canonical/usage'
import type { FormFile, OperationHead } from './operation.ts'

export interface InputPicture {
  /** `data` is base64 without a prefix. */
  source: { data: string; mimeType: string } | { url: string } | { file: FormFile }
  /** Where it stands in the caller's body. */
  path: string
}

/** Pixels. */
export interface PictureSize {
  width: number
  height: number
}

export interface ImageQuestion {
  prompt: string
  n: number
  /** An existing picture is changed. */
  edits: boolean
  images: InputPicture[]
  mask?: InputPicture
  /** Absent = as the model likes. */
  size?: PictureSize
  quality?: string
  background?: string
  /** `png`, `jpeg`, `webp`. */
  format?: string
  /** 0 to 100. */
  compression?: number
  /** How the caller wants to get them. */
  as: 'bytes' | 'url'
  /** Unfinished pictures to be shown in a stream. */
  partials: number
  /** Wishes that only the caller's style knows, by wire name: `hints` change little, `others` may change the picture. */
  hints: string[]
  others: string[]
}

export interface Picture {
  /** Base64. */
  data: string
  mimeType: string
  /** The prompt as the model rewrote it. */
  prompt?: string
}

export interface ImageAnswer {
  pictures: Picture[]
  usage: Usage
}

/** A request for pictures, as far as money goes. */
export interface ImageHead extends OperationHead {
  edits: boolean
  partials: number
  /** Tokens that a picture is taken for where the upstream does not say. */
  pictureTokens: number
  /** Tokens of the prompt and of the pictures that came with it, likewise. */
  promptTokens: number
  inputTokens: number
}

/**
 * Output tokens of a picture of one megapixel by quality, usual and most. OpenAI's guide has 272, 1,056 and 4,160 for the first
 * GPT image models; its calculator says 7,024 at high quality for the second. Google's are 1,290 at any quality, 2,520 at most.
 * Beyond `high` nothing is published.
 */
const outputTokens = {
  low: { usual: 272, most: 1700 },
  medium: { usual: 1056, most: 1800 },
  high: { usual: 4160, most: 7100 },
  xhigh: { usual: 8320, most: 14_200 },
  max: { usual: 16_640, most: 28_400 },
} as const

/** Each unfinished picture of a stream (OpenAI's guide). */
export const partialTokens = 100

/** A picture that is looked at: 581 as tiles, and 6,240 more where it is looked at closely (OpenAI's guide, the largest). */
const seenTokens = { low: 600, high: 7000 } as const

const megapixel = 1024 * 1024

export interface Wish {
  n: number
  size: PictureSize | undefined
  quality: string | undefined
  /** Bytes of the prompt. */
  promptBytes: number
  /** Pictures that came with the prompt, the mask among them. */
  seen: number
  /** How closely they are looked at. */
  fidelity: string | undefined
  partials: number
}

/** What a wish for pictures may come to. Twice the pixels are not twice the tokens, so they count by their square root. */
export function imageCost({ n, size, quality = '', promptBytes, seen, fidelity, partials }: Wish) {
  const row = isQuality(quality) ? outputTokens[quality] : { usual: outputTokens.medium.usual, most: outputTokens.high.most }
  const growth = Math.sqrt(Math.max(1, size ? size.width * size.height : 1.5 * megapixel) / megapixel)
  const tokens = (each: number) => Math.ceil(each * Math.max(1, growth))
  const inputTokens = seen * seenTokens[fidelity === 'low' ? 'low' : 'high']
  const most = noUsage()
  // A dense script needs more tokens than the usual four bytes each.
  most.in.fresh = Math.ceil(promptBytes / 2)
  most.in.image = inputTokens
  most.out.image = n * (tokens(row.most) + partials * partialTokens)
  most.out.total = most.out.image
  most.units.images = n
  return { most, pictureTokens: tokens(row.usual), promptTokens: Math.ceil(promptBytes / 4), inputTokens }
}

const isQuality = (word: string): word is keyof typeof outputTokens => Object.hasOwn(outputTokens, word)

export type SaidUsage = Pick<Usage, 'in' | 'out' | 'raw'>

/** Tokens of several answers to one question. */
export function addTokens<Said extends SaidUsage>(one: Said, other: SaidUsage): Said {
  const input = { ...one.in, fresh: one.in.fresh + other.in.fresh, image: one.in.image + other.in.image }
  input.cacheRead += other.in.cacheRead
  const { total, reasoning, image } = other.out
  const output = { ...one.out, total: one.out.total + total, reasoning: one.out.reasoning + reasoning, image: one.out.image + image }
  return { ...one, in: input, out: output, raw: other.raw }
}

export interface Made {
  /** Pictures that were delivered. */
  images: number
  /** What the upstream said; zeros when nothing. */
  said: SaidUsage | undefined
  /** Delivered pictures that its figures do not speak of. */
  unsaid: number
  /** Unfinished pictures among those. */
  partials: number
}

/** The usage to charge. Pictures are counted here; tokens are the upstream's, estimated where they are charged and unsaid. */
export function settleImages(asked: Pick<ImageHead, 'priced' | 'pictureTokens' | 'promptTokens' | 'inputTokens'>, made: Made): Usage {
  const usage = noUsage()
  const { said, unsaid, partials } = made
  usage.units.images = made.images
  if (said) {
    usage.in = { ...said.in }
    usage.out = { ...said.out }
    usage.raw = said.raw
  }
  usage.provenance = 'provider'
  if (unsaid + partials === 0 || asked.priced?.tokens === false) return usage
  usage.provenance = said ? 'partial' : 'estimated'
  const more = unsaid * asked.pictureTokens + partials * partialTokens
  usage.out.image += more
  usage.out.total += more
  if (!said) {
    usage.in.fresh = asked.promptTokens
    usage.in.image = asked.inputTokens
  }
  return usage
}
