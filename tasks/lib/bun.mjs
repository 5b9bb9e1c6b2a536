/**
 * Finds the pinned Bun, or brings it. A machine may have it installed with the project, privately in .bun/, on its PATH, or
 * be running this very script with it. A package's postinstall may have been blocked, so every candidate must answer.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { answer, run } from './processes.mjs'
import { pinnedBun, root, TaskError, tell, writeStamp } from './project.mjs'

/** The path of a Bun of exactly the pinned version, or undefined. */
export function findBun() {
  if (process.versions.bun === pinnedBun) return process.execPath
  const candidates = [...installed('node_modules'), ...installed('.bun/node_modules'), 'bun']
  return candidates.find((path) => answer(path, ['--version']) === pinnedBun)
}

/** Where a Bun lies that was installed as a package: put in place by its postinstall, or still in its platform's package. */
function installed(modules) {
  const platforms = join(root, modules, '@oven')
  return [join(root, modules, 'bun/bin/bun.exe'), ...list(platforms).map((name) => join(platforms, name, 'bin/bun'))]
}

function list(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The path of the pinned Bun; fetched into .bun/ by npm, or by a Bun of another version, when it is nowhere. */
export async function bringBun() {
  const found = findBun()
  if (found !== undefined) return found
  tell(`Fetching Bun ${pinnedBun}...`)
  writeStamp('.bun/package.json', `${JSON.stringify({ private: true, dependencies: { bun: pinnedBun }, allowScripts: { bun: true } })}\n`)
  const [command, ...args] = process.versions.bun ? [process.execPath, 'install'] : [...npm(), 'install', '--no-audit', '--no-fund']
  const { output } = await run(command, args, { cwd: join(root, '.bun') })
  const brought = findBun()
  if (brought === undefined) throw new TaskError(`${output}\nBun ${pinnedBun} could not be fetched. Is the package registry reachable?`)
  return brought
}

/** The command line of npm: the one that started this script, else the one on the PATH. */
export function npm() {
  const own = process.env.npm_execpath ?? ''
  return own.endsWith('npm-cli.js') ? [process.execPath, own] : ['npm']
}
