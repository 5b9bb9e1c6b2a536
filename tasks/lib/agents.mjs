/** Installs the coding agents that a test runs. They are large, so they have their own lock file. */
import { join } from 'node:path'
import { npm } from './bun.mjs'
import { run } from './processes.mjs'
import { digest, readStamp, root, TaskError, tell, writeStamp } from './project.mjs'

const home = 'e2e/agents'
const stamp = `${home}/node_modules/.parley-installed`
const limitMs = 300_000

/** Installs e2e/agents as its lock file says, unless that is already done. Install scripts of packages are not run. */
export async function bringAgents(bun) {
  const lock = digest([`${home}/package-lock.json`])
  if (readStamp(stamp) === lock) return
  tell('Installing coding agents (about 1.2 GB, only the first time)...')
  const [command, ...args] = npm()
  const ways = [
    [bun, 'install', '--frozen-lockfile', '--ignore-scripts'],
    [command, ...args, 'ci', '--ignore-scripts'],
  ]
  let printed = ''
  for (const [program, ...words] of ways) {
    const { code, output } = await run(program, words, { cwd: join(root, home), limitMs })
    if (code === 0) return writeStamp(stamp, lock)
    printed += output
  }
  throw new TaskError(`${printed}\nThe coding agents could not be installed. Is the registry reachable?`)
}
