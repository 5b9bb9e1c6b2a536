/** Shared by the video endpoints of every protocol: beginning and finding a video, and serving its file. */
import type { KeptVideo } from '#canonical/operation/kept-video'
import type { Variant } from '#canonical/operation/operation'
import type { VideoHead } from '#canonical/operation/video'
import { relayed } from '#http/request/respond'
import type { Visit } from '#http/request/route'
import { type VideoStyle, videoReaders } from '#protocols/videos'
import type { FollowUps } from '#relay/admin/follow-ups'
import type { Ask, BegunWork } from '#relay/contract/ask'
import { GatewayError } from '#shared/errors'
import type { UpstreamAnswer } from '#upstream/upstream'
import type { NewVideo, Videos } from '#videos/videos'
import { owedOf, placeOf } from './begun-work.ts'
import { answer, type OwnOperation } from './operation-route.ts'
import { admit, type RelayServices } from './relay-route.ts'

/** What the endpoints of videos need from the program. */
export interface VideoServices extends RelayServices {
  videos: Videos
  followUps: FollowUps
  publicUrl: URL
}

/** How a video is begun. */
export interface BegunBy extends Pick<OwnOperation, 'path' | 'read'> {
  style: VideoStyle
  variant?: Variant
  /** The source video. */
  from?: KeptVideo
  /** Further changes to the request. */
  asked?(ask: Ask): Ask
  /** The response to the client. */
  shown(video: KeptVideo): unknown
}

/** For a video that this caller does not have. */
export const noVideo = () => new GatewayError('not_found', 'There is no video with this id.', { param: 'video_id' })

/** The record of a video that an upstream has begun. */
function noted({ caller, requestId }: Ask, { style, from }: BegunBy, work: BegunWork): NewVideo {
  const { body, candidate, head } = work
  const made = candidate.style === 'gemini' || candidate.style === 'openai' ? candidate.style : style
  const reader = videoReaders[made]
  return {
    tenant: caller.user.id,
    keyId: caller.key?.id ?? null,
    requestId,
    facts: {
      ...placeOf(work),
      style: made,
      upstreamId: reader.begun(body),
      asked: (head as VideoHead).video,
      ...(from && { from: from.id }),
      report: reader.report(body),
    },
    owed: owedOf(work),
  }
}

/** Begins a video as a request of the operation. Rejects with GatewayError. */
export async function begin(services: VideoServices, visit: Visit, by: BegunBy): Promise<Response> {
  await services.videos.demandRoom(admit(services, visit).user.id)
  const { from, style, path, variant, read, asked = (ask: Ask) => ask, shown } = by
  const relay = (ask: Ask) =>
    services.relay({
      ...asked(ask),
      ...(from && { pinned: { channel: from.channel, key: from.key } }),
      begins: async (work) => JSON.stringify(shown(await services.videos.begin(noted(ask, by, work)))),
    })
  return answer({ ...services, relay }, visit, {
    ...{ operation: 'video', style },
    ...(path !== undefined && { path }),
    ...(variant && { variant }),
    ...(read && { read }),
  })
}

/** The caller's video of this id. Rejects with `not_found`. */
export async function videoAt(services: VideoServices, visit: Visit, id: string): Promise<KeptVideo> {
  const video = await services.videos.find(id, admit(services, visit).user.id)
  if (!video) throw noVideo()
  return video
}

/** The same with its current state; the last known one if the upstream does not answer. */
export async function videoNow(services: VideoServices, visit: Visit, id: string): Promise<KeptVideo> {
  const video = await videoAt(services, visit, id)
  return services.videos.look(video, visit.request.signal).catch((thrown: unknown) => {
    if (thrown instanceof GatewayError) return video
    throw thrown
  })
}

/** Its file, streamed from the upstream. Rejects with GatewayError. */
export async function fileOf(
  services: VideoServices,
  visit: Visit,
  video: KeptVideo,
  asked: { variant?: string; file?: string },
): Promise<Response> {
  if (video.report.state !== 'completed') throw new GatewayError('invalid_request', 'The video is not complete.')
  const answered = await services.followUps.content(video, asked, visit.request.signal)
  const contentType = answered.headers.get('content-type') ?? 'video/mp4'
  return relayed({ status: 200, contentType, body: sourceOf(answered), losses: [], left: {} }, visit, services)
}

/** If it breaks off, the client's connection is broken off, too. */
function sourceOf(answered: UpstreamAnswer) {
  let broke = false
  return {
    async next() {
      try {
        return await answered.read()
      } catch {
        broke = true
        return undefined
      }
    },
    broke: () => broke,
    close: () => answered.cancel(),
  }
}
