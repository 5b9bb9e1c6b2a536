/** A video that an upstream makes for a caller. */
import type { KeptWork, WorkFacts } from './kept-work.ts'
import type { AskedVideo, VideoReport } from './video.ts'

/** What is stored of it, sealed. */
export interface VideoFacts extends WorkFacts {
  style: 'openai' | 'gemini'
  asked: AskedVideo
  /** Parley's id of the video that it was made from. */
  from?: string
  report: VideoReport
}

/** A video, as its owner may see it. */
export type KeptVideo = KeptWork<VideoFacts>
