/**
 * Finds the pinned version of Bun, or installs it. It may be in node_modules, in .bun/, on the PATH, or be running this script. What is
 * installed has the digests of package-lock.json, and no install script runs: Bun's own, which only moves its executable into place, is
 * done here.
 */
import { copyFileSync, linkSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { answer, run } from './processes.mjs'
import { pinnedBun, root, TaskError, tell, writeStamp } from './project.mjs'

/** The path of a Bun with exactly the pinned version, or undefined. */
export function findBun() {
  if (process.versions.bun === pinnedBun) return process.execPath
  // As a package of npm, this one lies among its dependencies.
  const among = basename(dirname(root)) === 'node_modules' ? installed('..') : []
  const candidates = [...installed('node_modules'), ...among, ...installed('.bun/node_modules'), 'bun']
  return candidates.find((path) => answer(path, ['--version']) === pinnedBun)
}

/**
 * Possible paths of a Bun that was installed as a package: copied by its postinstall, or still in the package of the platform, which Deno
 * keeps apart from those that were asked for by name.
 */
function installed(modules) {
  const platforms = [join(root, modules, '@oven'), join(root, modules, '.deno/node_modules/@oven')]
  return [
    join(root, modules, 'bun/bin/bun.exe'),
    ...platforms.flatMap((folder) => list(folder).map((name) => join(folder, name, 'bin/bun'))),
  ]
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
  const { manifest, lock } = bunAlone()
  writeStamp('.bun/package.json', `${JSON.stringify(manifest)}\n`)
  writeStamp('.bun/package-lock.json', `${JSON.stringify(lock)}\n`)
  const byBun = [process.execPath, 'install', '--frozen-lockfile', '--ignore-scripts']
  // Without a lock file of its own Deno takes versions and digests from package-lock.json, and it runs no install script.
  const byDeno = [process.execPath, 'install', '--node-modules-dir=manual']
  const byNpm = [...npm(), 'ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const [command, ...args] = process.versions.bun ? byBun : process.versions.deno ? byDeno : byNpm
  const { code, output } = await run(command, args, { cwd: join(root, '.bun') })
  const brought = code === 0 ? findBun() : undefined
  if (brought === undefined) {
    // What arrived is not what the lock file names: the next try must not find it.
    rmSync(join(root, '.bun/node_modules'), { recursive: true, force: true })
    throw new TaskError(
      `${output}\nBun ${pinnedBun} could not be installed as package-lock.json names it. Is the package registry reachable, and does it serve the same package?`,
    )
  }
  return brought
}

/** A project with nothing but Bun, locked to the digests of package-lock.json. */
function bunAlone() {
  const { lockfileVersion, packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const manifest = { name: 'bun-alone', private: true, dependencies: { bun: pinnedBun } }
  const kept = Object.entries(packages).filter(([path]) => path === 'node_modules/bun' || path.startsWith('node_modules/@oven/'))
  return {
    manifest,
    lock: { name: manifest.name, lockfileVersion, requires: true, packages: { '': manifest, ...Object.fromEntries(kept) } },
  }
}

/** Puts Bun's executable where `node_modules/.bin/bun` leads, as its install script would. */
export function linkBun() {
  const [target, ...sources] = installed('node_modules')
  const isBun = (path) => answer(path, ['--version']) === pinnedBun
  if (isBun(target)) return
  const source = sources.find(isBun)
  if (source === undefined) return
  for (const place of [target, target.replace(/bun\.exe$/, 'bunx.exe')]) {
    rmSync(place, { force: true })
    try {
      linkSync(source, place)
    } catch {
      copyFileSync(source, place)
    }
  }
}

/** Command and arguments of npm: the one that started this script, else the one on the PATH. */
export function npm() {
  const own = process.env.npm_execpath ?? ''
  return own.endsWith('npm-cli.js') ? [process.execPath, own] : ['npm']
}
