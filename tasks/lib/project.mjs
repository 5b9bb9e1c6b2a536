/**
 * What every task knows of the project: where it stands, which Bun it is pinned to, how to tell a person what goes on, and
 * how to tell whether files have changed. Everything in tasks/ runs under Node and under Bun alike, with built-ins only,
 * because it runs before anything is installed.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** The exact version of Bun that package.json names. */
export const pinnedBun = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies.bun

/** A line about progress. Standard output belongs to the program. */
export function tell(line) {
  process.stderr.write(`${line}\n`)
}

/** A task's own fault: its message is all that a person needs to see. */
export class TaskError extends Error {}

/** Runs a task; a TaskError becomes its message and exit code 1. */
export async function task(work) {
  try {
    await work()
  } catch (error) {
    tell(error instanceof TaskError ? error.message : (error?.stack ?? String(error)))
    process.exit(1)
  }
}

/** A digest of the contents of files and folders, given from the root. */
export function digest(paths) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(filesIn))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  return hash.digest('hex')
}

function filesIn(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  const names = readdirSync(join(root, path)).sort()
  return names.flatMap((name) => filesIn(join(path, name)))
}

/** What was noted in a stamp file, or undefined. */
export function readStamp(path) {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined
  }
}

export function writeStamp(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
