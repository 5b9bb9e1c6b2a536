/** Installs the packages of package-lock.json if necessary, with its digests and without install scripts. */
import { bringBun, linkBun, npm } from './bun.mjs'
import { run } from './processes.mjs'
import { digest, readStamp, TaskError, tell, writeStamp } from './project.mjs'

const stamp = 'node_modules/.parley-installed'

/**
 * Installs node_modules as the lock file says, without running anybody's install script, with devDependencies only if `dev`, and resolves with the path of the pinned Bun.
 * Does nothing, and needs no network, when that is already done. A folder that once had devDependencies keeps them.
 */
export async function install({ dev }) {
  const lock = digest(['package-lock.json'])
  const before = readStamp(stamp)
  const hadDev = before?.endsWith(' dev') ?? false
  const bun = await bringBun()
  if (before === `${lock} dev` || (before === lock && !dev)) return bun
  tell(before === undefined ? 'Installing packages (only the first time)...' : 'Installing packages...')
  await installWith(bun, dev || hadDev)
  linkBun()
  writeStamp(stamp, dev || hadDev ? `${lock} dev` : lock)
  return bringBun()
}

async function installWith(bun, dev) {
  const first = await run(bun, ['install', '--frozen-lockfile', '--ignore-scripts', ...(dev ? [] : ['--production'])])
  if (first.code === 0) return
  const [command, ...args] = npm()
  const second = await run(command, [...args, 'ci', '--ignore-scripts', ...(dev ? [] : ['--omit=dev'])])
  if (second.code !== 0)
    throw new TaskError(`${first.output}${second.output}\nThe packages could not be installed. Is the registry reachable?`)
}
