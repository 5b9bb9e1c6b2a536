/** A request for one video, from one style to another. */
import type { FormFile } from './operation.ts'
import type { VideoShape } from './video-size.ts'

/** The first picture of a video. */
export interface VideoImage {
  source: { data: string; mimeType: string } | { url: string } | { file: FormFile }
  /** Its path in the caller's body. */
  path: string
}

/** What is asked. */
export interface VideoQuestion {
  prompt: string | undefined
  seconds: number
  shape: VideoShape
  /** The size as the caller wrote it is not exactly this shape. */
  isNear: boolean
  image?: VideoImage
  /** Where a video is that it goes on from, at the one upstream that has it. */
  from?: string
  negative?: string
  count: number
  /** Wishes that only the caller's style has, by their paths. */
  hints: string[]
  /** Fields without which it would be another video, by their paths. */
  needs: string[]
  /** Paths of fields that were not read. */
  others: string[]
}

/** What an upstream says of a video that it has begun: read when it is kept, in the upstream's own words. */
export interface VideoBegun {
  body: string
}
