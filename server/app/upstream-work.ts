/** Wires what upstreams make and hold long after they were asked: videos and calls, what is kept of them, and the jobs that wait for their ends. */
import type { Accounts } from '#accounts/accounts'
import type { Books } from '#billing/ledger/books'
import { type Calls, callKind, createCalls } from '#calls/calls'
import type { OpenJobs } from '#jobs/jobs'
import type { LiveChanges } from '#live/live-changes'
import { videoReaders } from '#protocols/videos'
import { createFollowUps, type FollowUpParts, type FollowUps } from '#relay/admin/follow-ups'
import type { RelayParts } from '#relay/contract/ask'
import type { Booking, RealtimeParts } from '#relay/realtime/booking'
import { type CallDoors, createCallDoors } from '#relay/realtime/calls'
import { createWatchedCalls } from '#relay/realtime/watched-call'
import { accountsOf } from '#relay/spend/hold'
import type { Sealer } from '#runtime/secrets'
import { isTeamId } from '#shared/ids'
import type { Store } from '#store/engine/store'
import { createVideoRunner } from '#videos/video-runner'
import { createVideos, type Videos, videoKind } from '#videos/videos'

interface Wiring {
  store: Store
  sealer: Sealer
  relaying: RelayParts & FollowUpParts
  /** What sessions are made of. */
  sessions: { parts: RealtimeParts; booking: Booking }
  books: Books
  accounts: Pick<Accounts, 'callerWithKey'>
  live: Pick<LiveChanges, 'answered'>
  work: OpenJobs
  /** Milliseconds without a sign after which a job goes to another process. */
  silenceMs: number
}

/** Videos of this program. */
function openVideos({ store, sealer, relaying, books, accounts, live, work, silenceMs }: Wiring): {
  videos: Videos
  followUps: FollowUps
} {
  const { clock, random, log } = relaying
  const followUps = createFollowUps(relaying)
  const videos = createVideos({
    ...{ store, sealer, clock, random, changed: live.answered },
    begun: (id) => work.begin(videoKind, id),
    ask: async (video, signal) => videoReaders[video.style].report(await followUps.state(video, signal)),
  })
  work.define(
    videoKind,
    createVideoRunner({
      ...{ store, clock, log, books, videos, changed: live.answered },
      accountsOf(tenant, keyId) {
        const caller = keyId === null ? undefined : accounts.callerWithKey(keyId)
        if (caller) return accountsOf(caller, clock.now())
        return [{ id: tenant, ...(isTeamId(tenant) && { whose: 'team' as const }) }]
      },
      pauses: { first: silenceMs / 10, most: silenceMs / 2 },
    }),
  )
  return { videos, followUps }
}

/** Calls of this program. */
function openCalls({ store, sealer, accounts, work, sessions }: Wiring): { calls: Calls; callDoors: CallDoors } {
  const { parts, booking } = sessions
  const { clock, random } = parts
  const calls = createCalls({ store, sealer, clock, random, begun: (id) => work.begin(callKind, id) })
  const watched = createWatchedCalls({ parts, booking, calls, callerOf: accounts.callerWithKey })
  work.define(callKind, watched.job)
  return { calls, callDoors: createCallDoors({ parts, booking, calls, watched }) }
}

/** All of it; its jobs are of `work`. */
export const openUpstreamWork = (wiring: Wiring) => ({ ...openVideos(wiring), ...openCalls(wiring) })
