/** Which test files are started first where no earlier run has left its times. */

/** Test files that take long, mostly because they wait, with their seconds on two busy cores. */
const slowFiles = {
  'e2e/agents.test.ts': 50,
  'e2e/books-command.test.ts': 30,
  'e2e/clients.test.ts': 100,
  'e2e/db-command.test.ts': 80,
  'e2e/db-restore.test.ts': 55,
  'e2e/declared-whole.test.ts': 20,
  'e2e/dependencies.test.ts': 80,
  'e2e/document.test.ts': 25,
  'e2e/either-form.test.ts': 45,
  'e2e/event-loop.test.ts': 60,
  'e2e/fault-matrix.test.ts': 45,
  'e2e/file-modes.test.ts': 20,
  'e2e/large-bodies.test.ts': 25,
  'e2e/limits-together.test.ts': 55,
  'e2e/matrix.test.ts': 25,
  'e2e/media.test.ts': 30,
  'e2e/money-crash.test.ts': 20,
  'e2e/money-streams.test.ts': 30,
  'e2e/money-together.test.ts': 20,
  'e2e/process.test.ts': 40,
  'e2e/realtime-session.test.ts': 45,
  'e2e/reload.test.ts': 25,
  'e2e/revocation.test.ts': 25,
  'e2e/sdk-methods.test.ts': 20,
  'e2e/sixteen-faults.test.ts': 25,
  'e2e/start.test.ts': 35,
  'e2e/survival.test.ts': 35,
  'e2e/takeover.test.ts': 25,
  'e2e/walk.test.ts': 25,
  'server/billing/ledger/budgeted-books.test.ts': 20,
  'server/billing/ledger/copied-folder.test.ts': 25,
  'server/billing/ledger/leased-books-cluster.test.ts': 40,
  'server/billing/ledger/leased-books-simulation.test.ts': 30,
  'server/billing/ledger/leased-books.test.ts': 25,
  'server/billing/ledger/remote-books.test.ts': 30,
  'server/billing/ratelimit/open-limiter.test.ts': 25,
  'server/relay/simulator.test.ts': 20,
  'server/store/engine/open.test.ts': 30,
  'server/store/ledger/budgets-open.test.ts': 20,
  'server/store/ledger/leases.test.ts': 25,
  'server/store/schema-moves/location.test.ts': 35,
  'server/store/schema-moves/move.test.ts': 25,
}

/** The milliseconds of each file, in the form of `bun test --timings`. */
export const firstTimings = (files) => ({
  version: 1,
  files: Object.fromEntries(files.map((file) => [file, (slowFiles[file] ?? 1) * 1000])),
})

/** The files that are named here. */
export const namedFiles = Object.keys(slowFiles)
