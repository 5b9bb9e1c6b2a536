/**
 * Videos that upstreams make: noted when one was begun, found, listed, looked at, removed. Per tenant, sealed. What waits for their end and
 * settles them is in `video-runner.ts`.
 */
import type { KeptVideo, VideoFacts } from '#canonical/operation/kept-video'
import type { VideoReport } from '#canonical/operation/video'
import type { Clock, Random } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import {
  deleteVideo,
  findVideo,
  insertVideo,
  listVideos,
  moveVideo,
  openVideosOf,
  sweepVideos,
  type VideoBounds,
  type VideoRecord,
} from '#store/jobs/videos'

/** What it takes to settle a video that has ended: as JSON. */
export interface OwedVideo {
  /** The row of its request, without amounts of money. */
  row: Record<string, unknown>
  /** The fields of the price, and of what the upstream charges. */
  price: Record<string, unknown>
  /** Millionths, as text. */
  ratio: string
  /** Nano-dollars that are held, as text. */
  held: string
}

/** A video that was begun. */
export type NewVideo = Pick<KeptVideo, 'tenant' | 'keyId' | 'requestId'> & { facts: VideoFacts; owed: OwedVideo }

/** Videos by tenant and id. */
export interface Videos {
  /** Notes one that an upstream has begun; its job is under way when this resolves. */
  begin(video: NewVideo): Promise<KeptVideo>
  /** Rejects with `rate_limit_exceeded` when the tenant has too many that are not made yet. */
  demandRoom(tenant: string): Promise<void>
  /** Undefined when there is none; `tenant` absent: whoever has it. */
  find(id: string, tenant?: string): Promise<KeptVideo | undefined>
  list(bounds: Omit<VideoBounds, 'now' | 'after'> & { after?: KeptVideo }): Promise<KeptVideo[]>
  /** How far it is now: asked of the upstream unless it has ended, once a second at most. */
  look(video: KeptVideo, signal: AbortSignalLike): Promise<KeptVideo>
  /** False when it has not ended, or is gone. */
  remove(id: string, tenant: string): Promise<boolean>
  /** What it takes to settle it. */
  owed(id: string): Promise<OwedVideo | undefined>
  /** The columns of a video as it is now. */
  columns(id: string, facts: VideoFacts, owed: OwedVideo): Pick<VideoRecord, 'state' | 'progress' | 'sealed'>
  /** Runs on a schedule: deletes what has expired. */
  sweep(): Promise<number>
}

/** What videos are built from. */
export interface VideoParts {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Random
  /** Begins the job of a video, here. */
  begun(id: string): Promise<void>
  /** What the upstream says of it now. */
  ask(video: KeptVideo, signal: AbortSignalLike): Promise<VideoReport>
  /** Something of this tenant has changed. */
  changed(tenant: string): void
}

/** The kind of their jobs. */
export const videoKind = 'video'

/** Milliseconds that a video is kept here, and between two questions about it. */
const lifeMs = 30 * 24 * 3_600_000
const restMs = 1000
const mostOpen = 50

const sealedAs = (id: string) => JSON.stringify(['video', id])

/** Videos in this store. */
export function createVideos({ store, sealer, clock, random, begun, ask, changed }: VideoParts): Videos {
  const now = () => new Date(clock.now())
  const looks = new Map<string, { at: number; report: Promise<VideoReport> }>()

  const opened = (row: VideoRecord) => JSON.parse(sealer.open(row.sealed, sealedAs(row.id))) as { facts: VideoFacts; owed: OwedVideo }
  function shown(row: VideoRecord): KeptVideo {
    const { id, tenant, keyId, requestId, createdAt, endedAt, expiresAt } = row
    return { ...opened(row).facts, id, tenant, keyId, requestId, createdAt, endedAt, expiresAt }
  }
  const columns: Videos['columns'] = (id, facts, owed) => ({
    state: facts.report.state,
    progress: facts.report.progress,
    sealed: sealer.seal(JSON.stringify({ facts, owed }), sealedAs(id)),
  })

  function asked(video: KeptVideo, signal: AbortSignalLike): Promise<VideoReport> {
    const known = looks.get(video.id)
    if (known && clock.monotonic() - known.at < restMs) return known.report
    const look = { at: clock.monotonic(), report: ask(video, signal) }
    looks.set(video.id, look)
    look.report.catch(() => looks.get(video.id) === look && looks.delete(video.id))
    for (const [id, { at }] of looks) if (look.at - at > restMs) looks.delete(id)
    return look.report
  }

  return {
    async begin({ tenant, keyId, requestId, facts, owed }) {
      const id = `video_${random.hex(16)}`
      const createdAt = now()
      const row = { id, tenant, keyId, requestId, createdAt, endedAt: null, expiresAt: new Date(createdAt.getTime() + lifeMs) }
      await insertVideo(store, { ...row, ...columns(id, facts, owed) })
      await begun(id)
      changed(tenant)
      return { ...facts, ...row }
    },
    async demandRoom(tenant) {
      if ((await openVideosOf(store, tenant)) < mostOpen) return
      throw new GatewayError('rate_limit_exceeded', `At most ${mostOpen} videos of one user are made at a time.`, { retryAfter: 30 })
    },
    async find(id, tenant) {
      const row = /^video_[0-9a-f]{32}$/.test(id) ? await findVideo(store, id, now(), tenant) : undefined
      return row && shown(row)
    },
    list: async (bounds) => (await listVideos(store, { ...bounds, now: now() })).map(shown),
    async look(video, signal) {
      if (video.endedAt) return video
      const report = await asked(video, signal)
      const row = await findVideo(store, video.id, now())
      if (!row || row.endedAt) return row ? shown(row) : video
      const { facts, owed } = opened(row)
      await moveVideo(store, video.id, columns(video.id, { ...facts, report }, owed))
      if (report.state !== facts.report.state || report.progress !== facts.report.progress) changed(video.tenant)
      return { ...video, report }
    },
    remove: (id, tenant) => deleteVideo(store, id, tenant),
    async owed(id) {
      const row = await findVideo(store, id, now())
      return row && opened(row).owed
    },
    columns,
    sweep: () => sweepVideos(store, now()),
  }
}
