/** Which test files are started first where no earlier run has left its times. */

/** Test files that take long, mostly because they wait, with their seconds on two busy cores. */
const slowFiles = {
  'e2e/clients.test.ts': 85,
  'e2e/db-command.test.ts': 60,
  'e2e/db-restore.test.ts': 60,
  'e2e/dependencies.test.ts': 80,
  'e2e/limits-together.test.ts': 60,
  'e2e/process.test.ts': 60,
  'e2e/realtime-session.test.ts': 50,
  'server/store/schema-moves/location.test.ts': 45,
  'server/store/schema-moves/move.test.ts': 40,
  'server/store/usage/usage.test.ts': 45,
  'e2e/either-form.test.ts': 40,
  'e2e/fault-matrix.test.ts': 40,
  'e2e/start.test.ts': 40,
  'e2e/readme.test.ts': 40,
  'server/declare/apply.test.ts': 40,
  'server/store/engine/open.test.ts': 40,
}

/** The milliseconds of each file, in the form of `bun test --timings`. */
export const firstTimings = (files) => ({
  version: 1,
  files: Object.fromEntries(files.map((file) => [file, (slowFiles[file] ?? 1) * 1000])),
})

/** The files that are named here. */
export const namedFiles = Object.keys(slowFiles)
