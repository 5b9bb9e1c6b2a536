/** Wires long work of upstreams: videos, interactions and calls, their stored state, and the jobs that wait for their ends. */
import type { Accounts } from '#accounts/accounts'
import type { Books } from '#billing/ledger/books'
import { type Calls, callKind, createCalls } from '#calls/calls'
import { type BackgroundInteractions, createBackgroundInteractions, interactionEnds, interactionKind } from '#interactions/interactions'
import type { OpenJobs } from '#jobs/jobs'
import type { LiveChanges } from '#live/live-changes'
import { createWorkRunner } from '#long-work/work-runner'
import { videoReaders } from '#protocols/videos'
import { nativeInteractions } from '#protocols/wordings'
import { createFollowUps, type FollowUpParts, type FollowUps } from '#relay/admin/follow-ups'
import type { RelayParts } from '#relay/contract/ask'
import type { Booking, RealtimeParts } from '#relay/realtime/booking'
import { type CallEndpoints, createCallEndpoints } from '#relay/realtime/calls'
import { createWatchedCalls, type WatchedCalls } from '#relay/realtime/watched-call'
import { accountsOf } from '#relay/spend/hold'
import type { Sealer } from '#runtime/secrets'
import { isTeamId } from '#shared/ids'
import type { Store } from '#store/engine/store'
import { createVideos, type Videos, videoEnds, videoKind } from '#videos/videos'

interface Wiring {
  store: Store
  sealer: Sealer
  relaying: RelayParts & FollowUpParts
  /** Dependencies of sessions. */
  sessions: { parts: RealtimeParts; booking: Booking }
  books: Books
  accounts: Pick<Accounts, 'callerWithKey'>
  live: Pick<LiveChanges, 'answered'>
  work: OpenJobs
  /** Milliseconds without a heartbeat after which a job goes to another process. */
  silenceMs: number
}

/** Videos and interactions of this program. */
function openLongWork({ store, sealer, relaying, books, accounts, live, work, silenceMs }: Wiring): {
  videos: Videos
  backgroundInteractions: BackgroundInteractions
  followUps: FollowUps
} {
  const { clock, random, log } = relaying
  const followUps = createFollowUps(relaying)
  const keeping = { store, sealer, clock, random, changed: live.answered }
  const waiting = {
    ...{ clock, log, books, changed: live.answered, pauses: { first: silenceMs / 10, most: silenceMs / 2 } },
    accountsOf(tenant: string, keyId: string | null) {
      const caller = keyId === null ? undefined : accounts.callerWithKey(keyId)
      if (caller) return accountsOf(caller, clock.now())
      return [{ id: tenant, ...(isTeamId(tenant) && { whose: 'team' as const }) }]
    },
  }
  const videos = createVideos({
    ...keeping,
    begun: (id) => work.begin(videoKind, id),
    ask: async (video, signal) => videoReaders[video.style].report(await followUps.text(video, { want: 'state' }, signal)),
  })
  work.define(videoKind, createWorkRunner({ ...waiting, works: videos, ends: videoEnds }))
  const backgroundInteractions = createBackgroundInteractions({
    ...keeping,
    begun: (id) => work.begin(interactionKind, id),
    async ask(interaction, signal) {
      const body = await followUps.text({ ...interaction, style: 'interaction' }, { want: 'state' }, signal)
      return nativeInteractions.readReport(body, interaction.inputBytes)
    },
  })
  work.define(interactionKind, createWorkRunner({ ...waiting, works: backgroundInteractions, ends: interactionEnds }))
  return { videos, backgroundInteractions, followUps }
}

/** Calls of this program. */
function openCalls({ store, sealer, accounts, work, sessions }: Wiring): {
  calls: Calls
  callEndpoints: CallEndpoints
  watchedCalls: Pick<WatchedCalls, 'spent'>
} {
  const { parts, booking } = sessions
  const { clock, random } = parts
  const calls = createCalls({ store, sealer, clock, random, begun: (id) => work.begin(callKind, id) })
  const watched = createWatchedCalls({ parts, booking, calls, callerOf: accounts.callerWithKey })
  work.define(callKind, watched.job)
  return { calls, callEndpoints: createCallEndpoints({ parts, booking, calls, watched }), watchedCalls: watched }
}

/** All of it; its jobs run in `work`. */
export const openUpstreamWork = (wiring: Wiring) => ({ ...openLongWork(wiring), ...openCalls(wiring) })
