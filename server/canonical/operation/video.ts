/** Videos, which upstreams make long after they were asked: what was asked, and what an upstream says of one. */
import { noUsage, type Usage } from '#canonical/usage'
import type { WorkReport } from './kept-work.ts'
import type { OperationHead } from './operation.ts'

/** Where a video stands. */
export const videoStates = ['queued', 'in_progress', 'completed', 'failed'] as const
export type VideoState = (typeof videoStates)[number]

/** What was asked of a video, as far as it is shown or charged. */
export interface AskedVideo {
  prompt: string | null
  /** Of one video. */
  seconds: number
  /** Whether the caller said how long it is to be; otherwise it is what upstreams make unless told. */
  isSecondsSaid: boolean
  /** In the words of the style. */
  size?: string
  /** How many of them. */
  count: number
}

/** What Parley needs to know of a request for a video. */
export interface VideoHead extends OperationHead {
  video: AskedVideo
}

/** What an upstream says of a video. */
export interface VideoReport extends WorkReport {
  state: VideoState
  /** Of all its videos together; absent: the upstream does not say. */
  seconds?: number
  /** How many there are; some may have been filtered out. Absent: as many as were asked for. */
  count?: number
  /** Where its files are, at the upstream. */
  files: string[]
  /** The upstream's own words, without files that are in them. */
  said: Record<string, unknown>
}

/** Reads what upstreams of a style say. */
export interface VideoReader {
  /** The upstream's name of what it has begun. Throws `upstream_error`. */
  begun(body: string): string
  /** Throws GatewayError `upstream_error` for what is no report. */
  report(body: string): VideoReport
}

/** What the request may come to, which is held. A longest video of `most` seconds where the caller says nothing. */
export function mostOf({ seconds, count, size }: AskedVideo): Usage {
  return videoUsage({ seconds: seconds * count, ...(size !== undefined && { size }) }, 'estimated')
}

/** The usage of videos of so many seconds in all. */
export function videoUsage({ seconds, size }: { seconds: number; size?: string }, provenance: Usage['provenance']): Usage {
  const usage = noUsage()
  usage.units.seconds = seconds
  return { ...usage, provenance, ...(size !== undefined && { servedAs: { size: size.toLowerCase() } }) }
}
