/** Bundles the server into dist/server: importing a few files takes a third of the CPU of importing a thousand. */
import { run } from './processes.mjs'
import { startSettings, TaskError, tell, unlessDone } from './project.mjs'

const sources = ['server', 'shared', 'db', 'package.json', 'package-lock.json', 'tasks/lib/server.mjs']
/** What a process or a worker starts with; `serverScript` in `server/runtime/package-file.ts` finds them. */
const entries = [
  'main',
  'main-loopback',
  'cli',
  'bodies/worker',
  'billing/ledger/books-work',
  'billing/pricing/trial-work',
  'billing/ratelimit/rates-work',
  'store/engine/embedded-make',
  'store/engine/embedded-worker',
  'store/engine/postgres-worker',
  'store/schema-moves/backup-work',
  'relay/large/audio-worker',
  'relay/large/worker',
  'telemetry/collecting/worker',
]
/** Packages that read files of their own, or load native code, from where they are installed. */
const external = ['@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs', '@node-rs/argon2']

/** What a built server needs of its runtime: where it is, what it was built for, and what stands before the script's name. */
const builds = {
  bun: { folder: 'dist/server', target: 'bun', before: [] },
  deno: { folder: 'dist/server-deno', target: 'node', before: ['run', '--allow-all', '--no-lock', '--unstable-no-legacy-abort'] },
}

/** The runtime that runs this script, if it is one of those that serve; Bun for Node. */
const runtime = process.versions.deno === undefined ? 'bun' : 'deno'

/** The command, with its environment, that starts the built server on the runtime that runs this script: on Deno that one, else Bun. */
export function serverCommand(bun) {
  const { folder, before } = builds[runtime]
  const { NODE_ENV = 'production' } = process.env
  return {
    command: runtime === 'deno' ? process.execPath : bun,
    args: [...before, `${folder}/main.js`],
    env: { ...startSettings(), NODE_ENV },
  }
}

/** Bundles the server for a runtime if its sources changed since the last time. Throws TaskError. */
export async function buildServer(bun, built = runtime) {
  const { folder, target } = builds[built]
  const stamp = `dist/.${folder.slice('dist/'.length)}`
  await unlessDone(stamp, sources, async () => {
    tell('Building the server...')
    await bundleServer(bun, { folder, target, maps: true })
  })
}

/** Bundles the server into this folder; `apart` are the packages that are not bundled with it. Throws TaskError. */
export async function bundleServer(bun, { folder, apart = external, maps = false, target = 'bun' }) {
  const { code, output: printed } = await run(bun, [
    'build',
    ...[
      `--target=${target}`,
      '--splitting',
      '--minify-whitespace',
      '--root=server',
      `--outdir=${folder}`,
      ...(maps ? ['--sourcemap=linked'] : []),
    ],
    ...apart.map((name) => `--external=${name}`),
    ...entries.map((name) => `server/${name}.ts`),
  ])
  if (code !== 0) throw new TaskError(`${printed}\nThe server could not be built.`)
}
