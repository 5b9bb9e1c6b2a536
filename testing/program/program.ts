/**
 * Starts Parley from outside: `bun server/main.ts` or `deno run server/main.ts` in a process of its own, on a free port, with a throwaway
 * folder as its working directory (so that no `.env` or parley.yaml of the developer is read). It relies only on the environment, the
 * printed lines and HTTP. Runs under Bun and, for Playwright, under Node.
 *
 * @needs server
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSettings } from '#runtime/start-settings'
import { putEmbeddedDatabase } from '#testing/database/embedded-template'
import { chosenRuntime, commandOf, type RuntimeName } from './command.ts'

/** Milliseconds allowed for a start (the first one creates the database) and for a stop. */
const patience = 60_000
/** The same on Deno, which takes longer to create a database. */
const denoPatience = 120_000
const endWithin = 15_000

/** How to start the program. */
export interface ProgramOptions {
  /** Added to the environment; PARLEY_* variables of the caller's environment are not passed on. */
  env?: Record<string, string>
  /** The text of a parley.yaml to put into the folder. */
  config?: string | Uint8Array
  /** An existing folder to run in, which is kept at the end. */
  folder?: string
  /** Shell code to run first; it must end in `exec "$@"`. If it sets PARLEY_PORT, nothing has to be printed. */
  shell?: string
  /** The runtime; that of the run by default. */
  runtime?: RuntimeName
  /** Create the database at the first start, instead of starting on a copy of a new one. */
  makesDatabase?: boolean
  /** Start the source files even where a bundle of them was built for the tests. */
  fromSource?: boolean
  /** Timers of so many milliseconds take so many instead; on Bun only, on Deno they take their real time. */
  quickTimers?: Record<number, number>
  /** Also allow media addresses on 127.0.0.1 over plain HTTP. */
  loopbackMedia?: boolean
}

/** How the program ended. */
export interface Exit {
  /** The exit code, or 128 + n for an unhandled signal n. */
  code: number
  stdout: string
  stderr: string
}

/** A running program. */
export interface Program {
  /** `http://127.0.0.1:PORT` */
  url: string
  pid: number
  folder: string
  /** Everything printed so far, both streams. */
  output(): string
  /** The value of a printed line `NAME=value` or `NAME: value`; throws if there is none. */
  printed(name: string): string
  /** Sends SIGTERM, and SIGKILL if that does not end it in time. Safe to call twice. */
  stop(): Promise<Exit>
}

/** The password of the administrator in `administrator`. */
export const administratorPassword = 'correct horse battery'

/** The environment of a start with an administrator, whose key is `program.printed('PARLEY_KEY')`. */
export const administrator = { PARLEY_ADMIN_USER: 'admin', PARLEY_ADMIN_PASSWORD: administratorPassword }

/** Starts the program and resolves when it is ready. Rejects, with its output, if it ends or hangs instead. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const run = launch(options, await folderOf(options))
  const url = await inTime(run, Promise.race([addressOf(run, options), earlyEnd(run)])).catch(async (error) => {
    await stop(run)
    throw error
  })
  return {
    url,
    pid: run.child.pid ?? 0,
    folder: run.folder,
    output: () => run.stdout + run.stderr,
    printed: (name) => printedValue(run, name),
    stop: () => stop(run),
  }
}

/** Starts a program that is expected to fail; resolves with how it ended. */
export async function runToExit(options: ProgramOptions = {}): Promise<Exit> {
  const run = launch(options, await folderOf(options))
  return inTime(run, run.ended)
}

/**
 * The folder to run in. Creating a database takes seconds and a gigabyte of memory, so a folder without one gets a copy, unless
 * `makesDatabase` is set.
 */
async function folderOf({ folder, env = {}, makesDatabase = false }: ProgramOptions): Promise<string> {
  const chosen = folder ?? mkdtempSync(join(tmpdir(), 'parley-program-'))
  const data = join(chosen, 'data')
  if (makesDatabase || existsSync(data) || 'DATABASE_URL' in env || 'PARLEY_DATA' in env) return chosen
  await mkdir(data, { mode: 0o700 })
  await putEmbeddedDatabase(data)
  return chosen
}

interface Run {
  child: ChildProcess
  folder: string
  /** Milliseconds allowed for a start. */
  patience: number
  stdout: string
  stderr: string
  /** Called for every piece of standard output. */
  onOutput: () => void
  ended: Promise<Exit>
}

function launch(options: ProgramOptions, folder: string): Run {
  if (options.config !== undefined) writeFileSync(join(folder, 'parley.yaml'), options.config)
  const command = commandOf(options)
  const [file = '', ...given] = options.shell === undefined ? command : ['sh', '-c', options.shell, 'sh', ...command]
  const child = spawn(file, given, {
    cwd: folder,
    // A busy machine must not make a test fail; overload has tests of its own.
    env: {
      ...outside(),
      PARLEY_PORT: '0',
      PARLEY_DATA: join(folder, 'data'),
      PARLEY_MAX_LAG: '60s',
      ...quickTimers(options),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const run: Run = {
    child,
    folder,
    patience: (options.runtime ?? chosenRuntime) === 'deno' ? denoPatience : patience,
    stdout: '',
    stderr: '',
    onOutput: () => {},
    ended: Promise.reject(),
  }
  run.ended.catch(() => {})
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    run.stdout += text
    run.onOutput()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    run.stderr += text
  })
  const orphan = () => child.kill('SIGKILL')
  process.once('exit', orphan)
  run.ended = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      process.off('exit', orphan)
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
      resolve({ code: code ?? (signal === 'SIGKILL' ? 137 : 143), stdout: run.stdout, stderr: run.stderr })
    })
  })
  return run
}

const quickTimers = ({ quickTimers: pairs = {} }: ProgramOptions) => ({
  TEST_QUICK_TIMERS: Object.entries(pairs)
    .map((pair) => pair.join(':'))
    .join(),
})

/** The caller's environment without its configuration of Parley. */
function outside(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !/^(PARLEY_|DATABASE_URL$)/.test(name))
  return {
    ...Object.fromEntries(kept),
    ...startSettings,
    DENO_NO_UPDATE_CHECK: '1',
    NODE_ENV: 'production',
  } as Record<string, string>
}

async function addressOf(run: Run, { shell, env }: ProgramOptions): Promise<string> {
  const known = shell === undefined ? undefined : env?.PARLEY_PORT
  const url = known === undefined ? await printedAddress(run) : `http://127.0.0.1:${known}`
  while (run.child.exitCode === null && run.child.signalCode === null && !(await isReady(url)))
    await new Promise((resolve) => setTimeout(resolve, 20))
  return url
}

function printedAddress(run: Run): Promise<string> {
  return new Promise<string>((resolve) => {
    run.onOutput = () => {
      const address = /^Parley listening on (http:\/\/\S+)$/m.exec(run.stdout)?.[1]
      if (address !== undefined) resolve(address)
    }
  })
}

async function isReady(url: string): Promise<boolean> {
  const { status } = await fetch(`${url}/readyz`).catch(() => ({ status: 503 }))
  if (status !== 200 && status !== 503) throw new Error(`the readiness probe answered ${status}`)
  return status === 200
}

async function earlyEnd(run: Run): Promise<never> {
  const { code, stdout, stderr } = await run.ended
  throw new Error(`the program ended with code ${code} before it was ready\n${stdout}${stderr}`)
}

/** The result of `work`, or an error with the output so far if it takes too long. */
async function inTime<T>(run: Run, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      run.child.kill('SIGKILL')
      reject(new Error(`the program took more than ${run.patience / 1000} s\n${run.stdout}${run.stderr}`.slice(0, 4000)))
    }, run.patience)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

async function stop(run: Run): Promise<Exit> {
  run.child.kill('SIGTERM')
  const impatience = setTimeout(() => run.child.kill('SIGKILL'), endWithin)
  try {
    return await run.ended
  } finally {
    clearTimeout(impatience)
  }
}

function printedValue(run: Run, name: string): string {
  const value = new RegExp(`^${name}(?:=|: )(\\S+)$`, 'm').exec(run.stdout)?.[1]
  if (value === undefined) throw new Error(`the program printed no ${name}`)
  return value
}
