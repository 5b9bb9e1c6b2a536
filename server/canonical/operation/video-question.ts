/** A request for one video, from one style to another. */
import type { FormFile } from './operation.ts'
import type { VideoShape } from './video-size.ts'

/** The first picture of a video. */
export interface VideoImage {
  source: { data: string; mimeType: string } | { url: string } | { file: FormFile }
  /** Its path in the caller's body. */
  path: string
}

export interface VideoQuestion {
  prompt: string | undefined
  seconds: number
  shape: VideoShape
  /** The requested size differs from this shape. */
  isNear: boolean
  image?: VideoImage
  /** The video to continue, at the one upstream that has it. */
  from?: string
  negative?: string
  count: number
  /** Paths of optional fields that only the caller's style has. */
  hints: string[]
  /** Paths of fields without which the video would be a different one. */
  needs: string[]
  /** Paths of fields that were not read. */
  others: string[]
}

/** An upstream's answer for a started video, in its own format: read when the video is stored. */
export interface VideoBegun {
  body: string
}
