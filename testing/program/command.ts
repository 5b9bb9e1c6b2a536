/** The command that starts Parley for a test: on which runtime, from which files. Runs under Bun and under Node. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeep } from '#testing/sample'

const root = fileURLToPath(new URL('../..', import.meta.url))

export type RuntimeName = 'bun' | 'deno'

/** The runtime of programs that do not name one: `PARLEY_RUNTIME=deno bun test e2e/streams.test.ts`. */
export const chosenRuntime: RuntimeName = process.env.PARLEY_RUNTIME === 'deno' ? 'deno' : 'bun'

/** What the command depends on; described at `ProgramOptions`. */
interface Choice {
  runtime?: RuntimeName
  fromSource?: boolean
  loopbackMedia?: boolean
  quickTimers?: Record<number, number>
}

/**
 * The executable and its arguments. `npm test` bundles the server, which starts faster; a single run of `bun test` starts the source
 * files.
 */
export function commandOf({ runtime = chosenRuntime, fromSource = false, loopbackMedia = false, quickTimers }: Choice): string[] {
  const name = loopbackMedia ? 'main-loopback' : 'main'
  const built = fromSource || runtime === 'deno' ? undefined : process.env.PARLEY_TEST_SERVER
  const script = built === undefined ? join(root, 'server', `${name}.ts`) : join(root, built, `${name}.js`)
  if (runtime === 'deno') return [denoPath(), ...denoArguments, script]
  // Passwords have their real cost in single and in deep runs.
  const preloads = [...(built === undefined || isDeep ? [] : ['cheap-passwords']), ...(quickTimers ? ['quick-timers'] : [])]
  return [bun(), ...preloads.flatMap((name) => ['--preload', join(root, `testing/program/${name}-preload.ts`)]), script]
}

function bun(): string {
  return process.versions.bun === undefined ? join(root, 'node_modules/.bin/bun') : process.execPath
}

/** The arguments that start Parley on Deno (docs/runtimes.md). */
export const denoArguments = ['run', '--allow-all', '--no-lock', '--unstable-no-legacy-abort']

/** The path of Deno's executable in its npm package; the package's script would not forward signals. */
export function denoPath(): string {
  const install: { runInstall(): string } = createRequire(import.meta.url)('deno/install_api.cjs')
  return install.runInstall()
}
