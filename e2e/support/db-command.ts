/**
 * Runs the command line as an operator does, in a separate process.
 *
 * @needs server
 */
import { join } from 'node:path'

/** `npm test` bundles the server; a single run of `bun test` runs the source files. */
const built = process.env.PARLEY_TEST_SERVER
const cli = join(import.meta.dir, '../..', built === undefined ? 'server/cli.ts' : `${built}/cli.js`)

/** How the command ended. */
export interface Ended {
  code: number
  said: string
  complaint: string
}

/** Runs `parley db`. */
export const runDb = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> => runParley(['db', ...args], env)

/** Runs the command without the caller's own configuration of Parley. */
export async function runParley(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const outside = Object.entries(process.env).filter(([name]) => !/^(PARLEY_|DATABASE_URL$)/.test(name))
  const child = Bun.spawn([process.execPath, cli, ...args], {
    env: { ...Object.fromEntries(outside), ...env },
    stdout: 'pipe',
    stderr: 'pipe',
    stdin: 'ignore',
    timeout: 120_000,
  })
  const [said, complaint, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited])
  return { code, said, complaint }
}
