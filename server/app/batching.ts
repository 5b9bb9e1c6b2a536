/** Wires work that outlasts a request: jobs, and the batches that they run. */
import type { Accounts } from '#accounts/accounts'
import type { Settings } from '#accounts/settings'
import { createBatchRunner } from '#batches/batch-runner'
import { type Batches, batchKind, createBatches } from '#batches/batches'
import { createOutputFiles } from '#batches/output-files'
import { createPlaces } from '#batches/places'
import { createAskLine, type LineServices } from '#http/api/batches/line'
import { createJobs, type JobsParts, type OpenJobs } from '#jobs/jobs'
import type { LiveChanges } from '#live/live-changes'
import type { StoredFiles } from '#reasoning-state/stored-files'
import type { Sealer } from '#runtime/secrets'

interface BatchingParts extends JobsParts {
  sealer: Sealer
  accounts: Accounts
  settings: Settings
  files: StoredFiles
  live: LiveChanges
  services: LineServices
  /** Whether the process is busy with interactive requests. */
  isBusy(): boolean
}

/** Most concurrent batch requests, and most of one user. */
const mostLines = 32
const mostLinesOfUser = 8

/** Jobs and batches of this program; they start with the first poll of the jobs. */
export function openBatching(parts: BatchingParts): { work: OpenJobs; batches: Batches } {
  const { store, sealer, clock, random, log, accounts, settings, files, live, services, isBusy } = parts
  const work = createJobs(parts)
  const batches = createBatches({ store, sealer, clock, random, jobs: work, quotas: settings.quotas })
  work.define(
    batchKind,
    createBatchRunner({
      ...{ store, sealer, clock, random, log, batches, isBusy },
      places: createPlaces(mostLines, mostLinesOfUser),
      ask: createAskLine(services),
      callerOf: accounts.callerWithKey,
      files: createOutputFiles(files),
      changed: live.answered,
    }),
  )
  return { work, batches }
}
