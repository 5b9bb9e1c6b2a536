/** Videos, which upstreams generate asynchronously: the request, and an upstream's report. */
import { noUsage, type Usage } from '#canonical/usage'
import type { WorkReport } from './kept-work.ts'
import type { OperationHead } from './operation.ts'

/** The states of a video. */
export const videoStates = ['queued', 'in_progress', 'completed', 'failed'] as const
export type VideoState = (typeof videoStates)[number]

/** The request for a video, as far as it is shown or charged. */
export interface AskedVideo {
  prompt: string | null
  /** Of one video. */
  seconds: number
  /** Whether the caller specified the duration; otherwise it is the default of upstreams. */
  isSecondsSaid: boolean
  /** In the style's notation. */
  size?: string
  /** How many of them. */
  count: number
}

/** What Parley needs to know of a request for a video. */
export interface VideoHead extends OperationHead {
  video: AskedVideo
}

/** An upstream's report on a video. */
export interface VideoReport extends WorkReport {
  state: VideoState
  /** Total of all its videos; absent: not reported. */
  seconds?: number
  /** Number of videos; some may have been filtered out. Absent: as many as requested. */
  count?: number
  /** Where its files are, at the upstream. */
  files: string[]
  /** The upstream's own report, without embedded files. */
  said: Record<string, unknown>
}

/** Reads the answers of upstreams of a style. */
export interface VideoReader {
  /** The upstream's id of the started work. Throws `upstream_error`. */
  begun(body: string): string
  /** Throws GatewayError `upstream_error` for an invalid report. */
  report(body: string): VideoReport
}

/** The largest usage of the request, which is held. */
export function mostOf({ seconds, count, size }: AskedVideo): Usage {
  return videoUsage({ seconds: seconds * count, ...(size !== undefined && { size }) }, 'estimated')
}

/** The usage of videos with this total duration. */
export function videoUsage({ seconds, size }: { seconds: number; size?: string }, provenance: Usage['provenance']): Usage {
  const usage = noUsage()
  usage.units.seconds = seconds
  return { ...usage, provenance, ...(size !== undefined && { servedAs: { size: size.toLowerCase() } }) }
}
