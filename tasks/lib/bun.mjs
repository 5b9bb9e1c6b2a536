/**
 * Finds the pinned version of Bun, or installs it. It may be in node_modules, in .bun/, on the PATH, or be running this script. Its
 * postinstall may have been blocked, so every candidate is tried.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { answer, run } from './processes.mjs'
import { pinnedBun, root, TaskError, tell, writeStamp } from './project.mjs'

/** The path of a Bun with exactly the pinned version, or undefined. */
export function findBun() {
  if (process.versions.bun === pinnedBun) return process.execPath
  const candidates = [...installed('node_modules'), ...installed('.bun/node_modules'), 'bun']
  return candidates.find((path) => answer(path, ['--version']) === pinnedBun)
}

/** Possible paths of a Bun that was installed as a package: copied by its postinstall, or still in the package of the platform. */
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

/** The path of the pinned Bun. When there is none, npm or a Bun of another version installs it into .bun/. Throws TaskError. */
export async function bringBun() {
  const found = findBun()
  if (found !== undefined) return found
  tell(`Installing Bun ${pinnedBun}...`)
  writeStamp('.bun/package.json', `${JSON.stringify({ private: true, dependencies: { bun: pinnedBun }, allowScripts: { bun: true } })}\n`)
  const [command, ...args] = process.versions.bun ? [process.execPath, 'install'] : [...npm(), 'install', '--no-audit', '--no-fund']
  const { output } = await run(command, args, { cwd: join(root, '.bun') })
  const brought = findBun()
  if (brought === undefined) throw new TaskError(`${output}\nBun ${pinnedBun} could not be installed. Is the package registry reachable?`)
  return brought
}

/** Command and arguments of npm: the one that started this script, else the one on the PATH. */
export function npm() {
  const own = process.env.npm_execpath ?? ''
  return own.endsWith('npm-cli.js') ? [process.execPath, own] : ['npm']
}
