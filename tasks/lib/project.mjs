/**
 * Shared by all tasks: the root folder, the pinned version of Bun, progress messages, and detection of changed files. Everything in
 * tasks/ runs under both Node and Bun and uses built-in modules only, because it runs before anything is installed.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's root folder, with a slash at the end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** The exact version of Bun that package.json names. */
export const pinnedBun = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies.bun

/** The settings of Bun with which the server need not start itself anew; those that the environment has are left out. */
export function startSettings() {
  const settings = JSON.parse(readFileSync(join(root, 'server/runtime/start-settings.json'), 'utf8'))
  return Object.fromEntries(Object.entries(settings).filter(([name]) => process.env[name] === undefined))
}

/** Prints a progress message to standard error; standard output belongs to the program. */
export function tell(line) {
  process.stderr.write(`${line}\n`)
}

/** An expected failure of a task, shown to the user as its message without a stack. */
export class TaskError extends Error {}

/** Runs a task. On an error it prints the message of a TaskError, or the stack of any other, and exits with 1. */
export async function task(work) {
  try {
    await work()
  } catch (error) {
    tell(error instanceof TaskError ? error.message : (error?.stack ?? String(error)))
    process.exit(1)
  }
}

/** A digest of the contents of files and folders; paths are relative to the root. */
export function digest(paths) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(filesIn))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  return hash.digest('hex')
}

/** A digest of when and how files last changed: with the same one they need not be read. */
function stateOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(filesIn)) {
    const { size, mtimeMs, ctimeMs } = statSync(join(root, path))
    hash.update(`${path}\0${size} ${mtimeMs} ${ctimeMs}\0`)
  }
  return hash.digest('hex')
}

/** Whether `work` was done for these files as they are now; if not, does it. What was done is noted in the stamp. */
export async function unlessDone(stamp, paths, work) {
  const state = stateOf(paths)
  const [contents, stateThen] = (readStamp(stamp) ?? '').split('\n')
  if (stateThen === state) return
  const wanted = digest(paths)
  if (contents !== wanted) await work()
  writeStamp(stamp, `${wanted}\n${state}`)
}

const filesIn = (path) => (statSync(join(root, path)).isDirectory() ? filesUnder(path) : [path])

function filesUnder(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesUnder(path) : entry.isFile() ? [path] : filesIn(path)
  })
}

/** The content of a stamp file; undefined when it does not exist. */
export function readStamp(path) {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined
  }
}

/** Writes a stamp file, creating its folder. */
export function writeStamp(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
