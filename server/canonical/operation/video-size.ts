/** Video sizes in both notations of upstreams: width and height (`1280x720`), or lines (`720p`) with an aspect ratio. */

/** A size in Google's notation; fields are absent if not specified. */
export interface VideoShape {
  ratio?: '16:9' | '9:16'
  lines?: string
}

const sides = /^(\d{2,4})x(\d{2,4})$/i
const steps = [
  [720, '720p'],
  [1080, '1080p'],
  [2160, '4k'],
] as const
const exact = new Set(['1280x720', '720x1280', '1920x1080', '1080x1920', '3840x2160', '2160x3840'])

const linesFor = (short: number) => steps.find(([most]) => short <= most)?.[1] ?? '4k'

/** The nearest shape to a size; undefined if it is not a size. `isExact`: it matches exactly. */
export function shapeOf(size: string): (Required<VideoShape> & { isExact: boolean }) | undefined {
  const [, width, height] = sides.exec(size) ?? []
  if (width === undefined || height === undefined) return undefined
  const [across, down] = [Number(width), Number(height)]
  return { ratio: across >= down ? '16:9' : '9:16', lines: linesFor(Math.min(across, down)), isExact: exact.has(size.toLowerCase()) }
}

const landscape: Readonly<Record<string, string>> = { '720p': '1280x720', '1080p': '1792x1024' }

/** The nearest size that OpenAI supports; undefined if it supports none with this many lines. */
export function sizeOf({ ratio = '16:9', lines = '720p' }: VideoShape): string | undefined {
  const size = landscape[lines.toLowerCase()]
  return ratio === '16:9' ? size : size?.split('x').reverse().join('x')
}

/** Other notations of the same size in a price, so that no notation makes it cheaper. */
export function otherNames(size: string, names: Iterable<string>): string[] {
  const lines = shapeOf(size)?.lines ?? size.toLowerCase()
  return [...names].filter((name) => (shapeOf(name)?.lines ?? name.toLowerCase()) === lines)
}
