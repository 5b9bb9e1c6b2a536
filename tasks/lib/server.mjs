/** Bundles the server into dist/server: importing a few files takes a third of the CPU of importing a thousand. */
import { run } from './processes.mjs'
import { digest, readStamp, TaskError, tell, writeStamp } from './project.mjs'

const output = 'dist/server'
const stamp = 'dist/.server'
const sources = ['server', 'shared', 'db', 'package.json', 'package-lock.json', 'tasks/lib/server.mjs']
/** What a process or a worker starts with; `serverScript` in `server/runtime/package-file.ts` finds them. */
const entries = [
  'main',
  'main-loopback',
  'cli',
  'bodies/worker',
  'billing/ledger/books-work',
  'billing/ratelimit/rates-work',
  'store/engine/embedded-make',
  'store/engine/embedded-worker',
  'store/engine/postgres-worker',
  'relay/large/audio-worker',
  'relay/large/worker',
]
/** Packages that read files of their own, or load native code, from where they are installed. */
const external = ['@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs', '@node-rs/argon2']

/** The script that starts the server, as an argument of Bun. */
export const builtServer = `${output}/main.js`

/** Bundles the server if its sources changed since the last time. Throws TaskError. */
export async function buildServer(bun) {
  const wanted = digest(sources)
  if (readStamp(stamp) === wanted) return
  tell('Building the server...')
  const { code, output: printed } = await run(bun, [
    'build',
    ...['--target=bun', '--splitting', '--sourcemap=linked', '--root=server', `--outdir=${output}`],
    ...external.map((name) => `--external=${name}`),
    ...entries.map((name) => `server/${name}.ts`),
  ])
  if (code !== 0) throw new TaskError(`${printed}\nThe server could not be built.`)
  writeStamp(stamp, wanted)
}
