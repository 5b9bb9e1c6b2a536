/** Runs a task of an agent in a separate process, with an empty home and an empty working folder, and without access to the internet. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Start } from './coding-agents.ts'

/** How the agent's process ended. */
export interface Outcome {
  /** The exit code, or -1 if it was ended because it took too long. */
  code: number
  stdout: string
  stderr: string
}

/** Where agents run. */
export interface Workplace {
  /** The agent's working folder. */
  folder: string
  run(start: Start, limitMs: number): Promise<Outcome>
  clear(): void
}

/** A closed port, so that whatever an agent sends to its vendor fails at once. */
const nowhere = 'http://127.0.0.1:9'

/** Creates the folders; removed when closed. */
export function workplace(): Workplace {
  const base = mkdtempSync(join(tmpdir(), 'parley-agent-'))
  const at = { home: join(base, 'home'), folder: join(base, 'work'), tmp: join(base, 'tmp') }
  for (const folder of Object.values(at)) mkdirSync(folder)
  return {
    folder: at.folder,
    run(start, limitMs) {
      for (const [path, text] of Object.entries(start.home ?? {})) {
        mkdirSync(dirname(join(at.home, path)), { recursive: true })
        writeFileSync(join(at.home, path), text)
      }
      return ended(start, at, limitMs)
    },
    clear: () => rmSync(base, { recursive: true, force: true, maxRetries: 3 }),
  }
}

function ended({ command, args, env }: Start, at: { home: string; folder: string; tmp: string }, limitMs: number): Promise<Outcome> {
  const child = spawn(command, args, {
    cwd: at.folder,
    // A process group of its own, so that what it started ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: at.home,
      TMPDIR: at.tmp,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      SHELL: '/bin/sh',
      HTTP_PROXY: nowhere,
      HTTPS_PROXY: nowhere,
      NO_PROXY: '127.0.0.1',
      ...env,
    },
  })
  const outcome: Outcome = { code: 0, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      outcome[name] += text
    })
  }
  const orphan = () => endGroup(child.pid)
  process.once('exit', orphan)
  return new Promise((resolve, reject) => {
    let late = false
    const limit = setTimeout(() => {
      late = true
      endGroup(child.pid)
    }, limitMs)
    child.once('error', reject)
    // What it started may keep its output open.
    child.once('exit', () => endGroup(child.pid))
    child.once('close', (code) => {
      clearTimeout(limit)
      process.off('exit', orphan)
      resolve({ ...outcome, code: late ? -1 : (code ?? -2) })
    })
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has no processes left.
  }
}
