/** A video that an upstream makes for a caller. */
import type { AskedVideo, VideoReport } from './video.ts'

/** What is kept of it, sealed. */
export interface VideoFacts {
  /** The model as the caller named it. */
  model: string
  style: 'openai' | 'gemini'
  /** Ids of the channel and of its key, where it is made. */
  channel: string
  key: string | null
  /** The model as the upstream names it, and the upstream's name of the video. */
  upstreamModel: string
  upstreamId: string
  asked: AskedVideo
  /** The video of Parley's that it was made from. */
  from?: string
  report: VideoReport
}

/** A video, as its owner may see it. */
export interface KeptVideo extends VideoFacts {
  id: string
  tenant: string
  keyId: string | null
  requestId: string
  createdAt: Date
  endedAt: Date | null
  expiresAt: Date
}
