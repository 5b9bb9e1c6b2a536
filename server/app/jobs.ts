/** What the program does every so often, beside its requests. */
import type { UserConversations } from '#accounts/kept/conversations'
import type { UsageUpkeep } from '#accounts/usage/upkeep'
import type { LeasedBooks } from '#billing/ledger/leased-books'
import type { OpenLimiter } from '#billing/ratelimit/open-limiter'
import type { ConsoleServices } from '#http/console/route/services'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { Relay } from '#relay/contract/relay'
import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { every } from '#runtime/schedule'

interface JobParts {
  clock: Clock
  log: Log
  accounts: ConsoleServices['accounts']
  conversations: UserConversations
  reasoningState: ReasoningState
  books: LeasedBooks
  limiter: OpenLimiter
  upkeep: UsageUpkeep
  file: { look(): Promise<void> }
  relay: Relay
}

/** Starts every job; one that fails is logged and comes again at its next time. */
export function startJobs(parts: JobParts): { cancel(): void } {
  const { clock, log, accounts, conversations, reasoningState, books, limiter, upkeep, file, relay } = parts
  const jobs: [what: string, everyMs: number, run: () => Promise<unknown>][] = [
    ['store when keys were last used', 10_000, accounts.flushLastUsed],
    ['delete expired sessions', 600_000, accounts.sweepSessions],
    ['record failed sign-ins', 60_000, accounts.flushSignInLog],
    ['store reasoning state', 1_000, reasoningState.flush],
    ['delete conversations whose link has ended', 600_000, conversations.sweep],
    ['delete expired reasoning state', 600_000, reasoningState.sweep],
    ['write off the leases of missing instances', 3_600_000, books.writeOff],
    ['open the budgets that begin soon', 300_000, books.openAhead],
    ['discard unused rate limits', 600_000, limiter.sweep],
    ['aggregate the usage of past hours', 60_000, upkeep.addUp],
    ['create the monthly partitions of the usage rows', 3_600_000, upkeep.turnMonths],
    ['check parley.yaml for changes', 1_000, file.look],
    ['end requests of revoked keys', 1_000, async () => relay.end(accounts.refusalOf)],
  ]
  const scheduled = jobs.map(([what, ms, run]) => every(clock, ms, run, (thrown) => log.warn({ err: thrown }, `could not ${what}`)))
  return {
    cancel() {
      for (const job of scheduled) job.cancel()
    },
  }
}
