/** Scheduled tasks of the program. */
import type { Invitations } from '#accounts/invitations/invitations'
import type { UserConversations } from '#accounts/kept/conversations'
import type { UsageUpkeep } from '#accounts/usage/upkeep'
import type { Batches } from '#batches/batches'
import type { LeasedBooks } from '#billing/ledger/leased-books'
import type { OpenLimiter } from '#billing/ratelimit/open-limiter'
import type { ConsoleServices } from '#http/console/route/services'
import type { BackgroundInteractions } from '#interactions/interactions'
import type { Jobs } from '#jobs/jobs'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { StoredFiles } from '#reasoning-state/stored-files'
import type { Relay } from '#relay/contract/relay'
import type { Background } from '#relay/conversation/background'
import type { Replays } from '#replay/replays'
import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { platform } from '#runtime/platform'
import { cpuMs } from '#runtime/process'
import { every } from '#runtime/schedule'
import type { Backups } from '#store/schema-moves/backups'
import type { Videos } from '#videos/videos'
import type { Alerting } from './alerting.ts'

interface JobParts {
  checkChannels(): Promise<void>
  alerting: Alerting
  clock: Clock
  log: Log
  accounts: ConsoleServices['accounts']
  conversations: UserConversations
  invitations: Pick<Invitations, 'sweep'>
  reasoningState: ReasoningState
  books: LeasedBooks
  limiter: OpenLimiter
  upkeep: UsageUpkeep
  file: { look(): Promise<void> }
  relay: Relay
  files: Pick<StoredFiles, 'sweep'>
  background: Pick<Background, 'beat' | 'closeInterrupted'>
  batches: Pick<Batches, 'sweep'>
  videos: Pick<Videos, 'sweep'>
  backgroundInteractions: Pick<BackgroundInteractions, 'sweep'>
  tokenUses: { sweep(): Promise<number> }
  calls: { sweep(): Promise<number> }
  /** Work that outlasts a request. */
  work: Pick<Jobs, 'poll'>
  /** Preloads rarely needed modules, once there are requests. */
  prepare(): Promise<void>
  /** Milliseconds after which another process takes it over. */
  takeoverMs: number
  replays: Pick<Replays, 'sweep'>
  /** Absent: no backups configured. */
  backups?: Pick<Backups, 'look' | 'lookEveryMs'> | undefined
}

const openAhead = 'open the budgets that begin soon'
const turnMonths = 'create the monthly partitions of the usage rows'
/** Tasks that also run soon after the start. */
const alsoSoon = new Set([openAhead, turnMonths])
const soonMs = 1_000

/** Schedules every task; a failure is logged, and the task runs again at its next time. */
export function startJobs(parts: JobParts): { cancel(): void } {
  const {
    clock,
    log,
    accounts,
    conversations,
    invitations,
    reasoningState,
    books,
    limiter,
    upkeep,
    file,
    relay,
    background,
    files,
    batches,
    work,
    alerting,
    checkChannels,
    replays,
    backups,
  } = parts
  const idleWatch = createIdleWatch(cpuMs, platform.shrink)
  const jobs: [what: string, everyMs: number, run: () => Promise<unknown>][] = [
    ['store when keys were last used', 10_000, accounts.flushLastUsed],
    ['delete expired sessions', 600_000, accounts.sweepSessions],
    ['record failed sign-ins', 60_000, accounts.flushSignInLog],
    ['keep background responses alive', 2_000, background.beat],
    ['close interrupted background responses', 30_000, background.closeInterrupted],
    ['run batches, replays and other long work', parts.takeoverMs / 10, work.poll],
    ['delete expired batches', 600_000, batches.sweep],
    ['delete expired videos', 3_600_000, parts.videos.sweep],
    ['delete records of ended interactions', 3_600_000, parts.backgroundInteractions.sweep],
    ['delete ended tokens of live sessions', 3_600_000, parts.tokenUses.sweep],
    ['delete ended calls', 3_600_000, parts.calls.sweep],
    ['delete old replays', 3_600_000, replays.sweep],
    ['store reasoning state', 1_000, reasoningState.flush],
    ['delete conversations whose link has ended', 600_000, conversations.sweep],
    ['delete ended invitations', 3_600_000, invitations.sweep],
    ['delete expired files', 600_000, files.sweep],
    ['delete expired reasoning state', 600_000, reasoningState.sweep],
    ['write off the leases of missing instances', 3_600_000, books.writeOff],
    [openAhead, 300_000, books.openAhead],
    ['discard unused rate limits', 600_000, limiter.sweep],
    ['aggregate the usage of past hours', 60_000, upkeep.addUp],
    [turnMonths, 3_600_000, upkeep.turnMonths],
    ['check resting channels', 15_000, checkChannels],
    ['check for alert conditions', 30_000, alerting.look],
    ['deliver alerts', 2_000, alerting.alerts.deliver],
    ['delete old alerts', 3_600_000, alerting.alerts.sweep],
    ['check parley.yaml for changes', 1_000, file.look],
    ['give memory back', idleCheckMs, async () => idleWatch()],
    ['load the table of tokens', 1_000, parts.prepare],
    ['end requests of revoked keys', 1_000, async () => relay.end(accounts.refusalOf)],
  ]
  if (backups) jobs.push(['make a backup, or remove old ones', backups.lookEveryMs, backups.look])
  const failed = (what: string) => (thrown: unknown) => log.warn({ err: thrown }, `could not ${what}`)
  const scheduled = jobs.map(([what, ms, run]) => every(clock, ms, run, failed(what)))
  // A start may be minutes before midnight. The first requests do not wait for these: months are created ahead, and rows of a missing
  // one go to the default partition until it exists.
  const soon = clock.after(soonMs, () => {
    for (const [what, , run] of jobs) if (alsoSoon.has(what)) run().catch(failed(what))
  })
  return {
    cancel() {
      for (const job of [soon, ...scheduled]) job.cancel()
    },
  }
}

/** Milliseconds between two checks. */
const idleCheckMs = 10_000
/** Milliseconds of CPU time between two checks that count as work. */
const busyMs = 1_500
const idleMs = 500
/** This many checks in a row without work count as idle. */
const idleChecks = 3

/**
 * To be called every ten seconds: calls `giveBack` once when the program becomes idle after work, or after the start. The process then
 * holds compiled code and spare memory; if they were released too soon, the next burst would compile again. `spentMs` is the CPU
 * time of the process so far.
 */
export function createIdleWatch(spentMs: () => number, giveBack: () => void): () => void {
  let before = spentMs()
  let idleCount = 0
  let isReleased = false
  return () => {
    const now = spentMs()
    const used = now - before
    before = now
    idleCount = used < idleMs ? idleCount + 1 : 0
    if (used > busyMs) isReleased = false
    if (isReleased || idleCount < idleChecks) return
    isReleased = true
    giveBack()
  }
}
