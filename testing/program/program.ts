/**
 * Parley as a stranger starts it: `bun server/main.ts`, or `deno run server/main.ts`, in a process of its own, on a free port, in a throwaway folder that
 * is also its working directory (so no `.env` or parley.yaml of the developer's is read). Knows nothing of the inside: only
 * the environment, the lines it prints, and HTTP. Runs under Bun and under Node, where Playwright may have started it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { embeddedTemplate } from '#testing/database/embedded-template'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Milliseconds for a start (the first one makes the database) and for an end. */
const patience = 60_000
/** The same on Deno, which takes longer to make a database. */
const denoPatience = 120_000
const endWithin = 15_000

export interface ProgramOptions {
  /** Added to the environment; PARLEY_* of the caller's own environment is not passed on. */
  env?: Record<string, string>
  /** Text of a parley.yaml laid into the folder. */
  config?: string
  /** An existing folder to run in; it is then left in place at the end. */
  folder?: string
  /** What a shell does first; it must end in `exec "$@"`. With a PARLEY_PORT of its own nothing has to be printed. */
  shell?: string
  /** What runs it; Bun unless told otherwise. */
  runtime?: 'bun' | 'deno'
  /** Makes its database by itself, as a stranger's first start does; otherwise a copy of a new one lies there already. */
  makesDatabase?: boolean
  /** Files that callers name by address may also lie on 127.0.0.1, over plain HTTP. */
  loopbackMedia?: boolean
}

export interface Exit {
  /** The exit code, or 128 + n after a signal n that was not handled. */
  code: number
  stdout: string
  stderr: string
}

export interface Program {
  /** `http://127.0.0.1:PORT` */
  url: string
  pid: number
  folder: string
  /** Everything printed so far, both streams. */
  output(): string
  /** The value of a printed line `NAME=value` or `NAME: value`; throws when there is none. */
  printed(name: string): string
  /** SIGTERM, and SIGKILL when that does not end it in time. Safe to call twice. */
  stop(): Promise<Exit>
}

/** The password of the administrator that `administrator` asks for. */
export const administratorPassword = 'correct horse battery'

/** Environment of a start with an administrator, whose key is then `program.printed('PARLEY_KEY')`. */
export const administrator = { PARLEY_ADMIN_USER: 'admin', PARLEY_ADMIN_PASSWORD: administratorPassword }

/** Starts the program and resolves when it is ready. Rejects, with what it printed, when it ends or hangs instead. */
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

/** Starts a program that is expected to refuse: resolves with how it ended. */
export async function runToExit(options: ProgramOptions = {}): Promise<Exit> {
  const run = launch(options, await folderOf(options))
  return inTime(run, run.ended)
}

/** The folder to run in. Making a database takes seconds and a gigabyte, so one that has none gets a copy, unless it shall make its own. */
async function folderOf({ folder, env = {}, makesDatabase = false }: ProgramOptions): Promise<string> {
  const chosen = folder ?? mkdtempSync(join(tmpdir(), 'parley-program-'))
  const data = join(chosen, 'data')
  if (makesDatabase || existsSync(data) || 'DATABASE_URL' in env || 'PARLEY_DATA' in env) return chosen
  await mkdir(data, { mode: 0o700 })
  await cp(await embeddedTemplate(), join(data, 'pglite'), { recursive: true })
  return chosen
}

interface Run {
  child: ChildProcess
  folder: string
  /** Milliseconds for a start. */
  patience: number
  stdout: string
  stderr: string
  /** Told of every piece of standard output. */
  onOutput: () => void
  ended: Promise<Exit>
}

function launch(options: ProgramOptions, folder: string): Run {
  if (options.config !== undefined) writeFileSync(join(folder, 'parley.yaml'), options.config)
  const runtime = options.runtime === 'deno' ? [denoPath(), ...denoArguments] : [bun()]
  const command = [...runtime, join(root, options.loopbackMedia ? 'server/main-loopback.ts' : 'server/main.ts')]
  const [file = '', ...given] = options.shell === undefined ? command : ['sh', '-c', options.shell, 'sh', ...command]
  const child = spawn(file, given, {
    cwd: folder,
    // A machine that has too much to do is no reason to refuse a test; what is refused then is tested by name.
    env: { ...outside(), PARLEY_PORT: '0', PARLEY_DATA: join(folder, 'data'), PARLEY_MAX_LAG: '60s', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const run: Run = {
    child,
    folder,
    patience: options.runtime === 'deno' ? denoPatience : patience,
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

/** The caller's environment without its own configuration of Parley. */
function outside(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !/^(PARLEY_|DATABASE_URL$)/.test(name))
  return {
    ...Object.fromEntries(kept),
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    DENO_NO_UPDATE_CHECK: '1',
    NODE_ENV: 'production',
  } as Record<string, string>
}

/** How Parley is started on Deno (docs/runtimes.md). */
export const denoArguments = ['run', '--allow-all', '--no-lock', '--unstable-no-legacy-abort']

/** The path of Deno's own executable, from its npm package; that package's script would not hand on signals. */
export function denoPath(): string {
  const install: { runInstall(): string } = createRequire(import.meta.url)('deno/install_api.cjs')
  return install.runInstall()
}

function bun(): string {
  return process.versions.bun === undefined ? join(root, 'node_modules/.bin/bun') : process.execPath
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
  if (status !== 200 && status !== 503) throw new Error(`the program answers ${status} when asked whether it is ready`)
  return status === 200
}

async function earlyEnd(run: Run): Promise<never> {
  const { code, stdout, stderr } = await run.ended
  throw new Error(`the program ended with code ${code} before it was ready\n${stdout}${stderr}`)
}

/** `work`, or an end with what was printed so far. */
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
