/** Videos made by upstreams: their records, and their usage. */
import type { KeptVideo, VideoFacts } from '#canonical/operation/kept-video'
import { type VideoReport, videoUsage } from '#canonical/operation/video'
import type { Usage } from '#canonical/usage'
import { createUpstreamWork, type NewWork, type UpstreamWork, type UpstreamWorkParts } from '#long-work/kept-work'
import type { WorkEnds } from '#long-work/work-runner'
import { videoRows } from '#store/jobs/upstream-work'

/** Videos by tenant and id. */
export type Videos = UpstreamWork<VideoFacts>
/** A new video. */
export type NewVideo = NewWork<VideoFacts>

/** The kind of their jobs. */
export const videoKind = 'video'

/** Videos in this store. */
export const createVideos = (parts: Omit<UpstreamWorkParts<VideoFacts>, 'rows' | 'kind' | 'many'>): Videos =>
  createUpstreamWork({ ...parts, rows: videoRows, kind: videoKind, many: 'videos' })

/** The usage: seconds of video. Undefined: nothing was made. */
export function usedBy({ asked }: Pick<KeptVideo, 'asked'>, report: VideoReport): Usage | undefined {
  if (report.state !== 'completed' || report.count === 0) return undefined
  const count = report.count ?? asked.count
  const seconds = report.seconds ?? asked.seconds * count
  const isReported = report.seconds !== undefined || asked.isSecondsSaid
  return videoUsage({ seconds, ...(asked.size !== undefined && { size: asked.size }) }, isReported ? 'provider' : 'estimated')
}

/** Usage of videos. */
export const videoEnds: WorkEnds<VideoFacts> = { noun: 'video', usedBy }
