/** Sizes of pictures in Google's format: an aspect ratio, and a size in steps of about a thousand pixels. */

import type { LossList } from '#canonical/loss'
import type { ImageQuestion, PictureSize } from '#canonical/operation/image'
import { GatewayError } from '#shared/errors'

/** Ratios that Gemini's models support. */
export const geminiRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const
/** Ratios that Imagen's models support. */
export const imagenRatios = ['1:1', '3:4', '4:3', '9:16', '16:9'] as const

/** Largest deviation from the requested ratio. */
const farthest = 1.2

/** A size in Google's format. */
export interface Shape {
  ratio?: string
  /** `1K`, `2K`, `4K`; absent = the model has one size, or none was requested. */
  steps?: string
}

/** `steps` says whether the model has several sizes. Throws `unsupported_value` for a shape that it cannot make. */
export function shapeOf({ size, quality }: ImageQuestion, ratios: readonly string[], steps: boolean, losses: LossList): Shape {
  const isFine = quality === 'high' || quality === 'hd'
  if (quality !== undefined && !(isFine && steps)) losses.leftOut('quality', 'The upstream has no such quality.')
  if (!size) return isFine && steps ? adapted({ steps: '2K' }, losses) : {}
  const wanted = Math.log(size.width / size.height)
  const far = (ratio: string) => Math.abs(logOf(ratio) - wanted)
  const [ratio = '1:1'] = ratios.toSorted((one, other) => far(one) - far(other))
  if (far(ratio) > Math.log(farthest)) {
    throw new GatewayError('unsupported_value', 'The upstream makes no pictures of this shape.', { param: 'size' })
  }
  return adapted({ ratio, ...(steps && { steps: stepsOf(size, isFine) }) }, losses)
}

function adapted(shape: Shape, losses: LossList): Shape {
  losses.adapted('size', 'The upstream takes an aspect ratio and a size step, not pixels.')
  return shape
}

function stepsOf({ width, height }: PictureSize, isFine: boolean): string {
  const longest = Math.max(width, height)
  if (longest > 2048) return '4K'
  return longest > 1536 || isFine ? '2K' : '1K'
}

function logOf(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number)
  return Math.log(width / height)
}
