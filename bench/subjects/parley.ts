/** Parley itself, on either database, with everything on: keys, limits, routing, hold, settle, journal and usage rows. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres, newPostgresDatabase } from '#testing/database/postgres-server'
import type { RuntimeName } from '#testing/program/command'
import { startProgram } from '#testing/program/program'
import { cores, processNamed } from '../load/processes.ts'
import { type Asked, chat, firstAnswer, freePort, onSubjectCore, pathOf, type Route, type Subject } from './subject.ts'

/** The databases that Parley runs on. */
export type Engine = 'PostgreSQL' | 'embedded'

const key = 'sk-bench-key'

const declaration = (provider: string) => `
channels:
  - { name: chat, vendor: openai-compatible, baseUrl: "${provider}/v1", keys: [upstream], models: [bench-chat] }
  - { name: messages, vendor: anthropic, baseUrl: "${provider}", keys: [upstream], models: [bench-messages] }
prices:
  bench-chat: { input: 1, output: 2 }
  bench-messages: { input: 1, output: 2 }
users:
  - { name: bench, balance: 1000000000 }
keys:
  - { name: bench, user: bench, key: ${key} }
`

/** The address of the declared upstream. */
const config = (providerPort: number) => declaration(`http://127.0.0.1:${providerPort}`)

const ask = ({ client, upstream }: Route): Asked => ({
  path: pathOf(client),
  model: `bench-${upstream}`,
  headers: [`authorization: Bearer ${key}`],
})

/** Options for starting Parley. */
export interface ParleyOptions {
  /** Further arguments for Bun, for the profiler. */
  bunFlags?: string
  /** The folder to run in, kept at the end. */
  folder?: string
  runtime?: RuntimeName
  /** Further environment variables. */
  env?: Record<string, string>
}

/** Starts Parley on the core of what is measured, with its default configuration. */
export async function startParley(
  engine: Engine,
  providerPort: number,
  { bunFlags = '', folder, runtime = 'bun', env = {} }: ParleyOptions = {},
) {
  const database = engine === 'PostgreSQL' ? await newPostgresDatabase() : undefined
  const program = await startProgram({
    runtime,
    config: config(providerPort),
    env: { PARLEY_LOG: 'warn', ...(database && { DATABASE_URL: database.url }), ...env },
    ...(folder !== undefined && { folder }),
    // Without the tests' own limit for a busy machine.
    shell: `unset PARLEY_MAX_LAG; bun=$1; shift; set -- "$bun" ${bunFlags} "$@"; ${onSubjectCore}`,
  })
  const port = Number(new URL(program.url).port)
  const databasePid = database && processNamed('-p', new URL(database.url).port)
  await firstAnswer(port, ask(chat), () => false)
  return {
    port,
    pid: program.pid,
    ...(databasePid !== undefined && { databasePid }),
    mainThreadMatters: true,
    ask,
    async stop() {
      await program.stop()
      await database?.drop()
    },
  }
}

/** Parley on one of its databases. */
export const parley = (engine: Engine): Subject => ({
  name: `Parley, ${engine}`,
  missing: () => (engine === 'PostgreSQL' && findPostgres() === undefined ? 'apt install postgresql' : undefined),
  start: (providerPort) => startParley(engine, providerPort),
  timeStart: (providerPort) => timeNpmStart(engine, providerPort),
})

/** Parley on Deno, with the embedded database; how long it takes to start is not measured. */
export const parleyOnDeno: Subject = {
  name: 'Parley on Deno, embedded',
  missing: () => undefined,
  start: (providerPort) => startParley('embedded', providerPort, { runtime: 'deno' }),
  timeStart: () => Promise.resolve(Number.NaN),
}

/** Milliseconds from `npm start` to the first answer, on a database that exists and with everything installed. */
async function timeNpmStart(engine: Engine, providerPort: number): Promise<number> {
  const database = engine === 'PostgreSQL' ? await newPostgresDatabase() : undefined
  const folder = mkdtempSync(join(tmpdir(), 'parley-start-'))
  writeFileSync(join(folder, 'parley.yaml'), config(providerPort))
  const port = await freePort()
  const env = {
    ...process.env,
    PARLEY_PORT: String(port),
    PARLEY_DATA: join(folder, 'data'),
    PARLEY_CONFIG: join(folder, 'parley.yaml'),
    PARLEY_LOG: 'warn',
    ...(database && { DATABASE_URL: database.url }),
  }
  let took = Number.NaN
  // The first start installs, builds and creates the database.
  for (let time = 0; time < 2; time++) {
    const begun = performance.now()
    const words = ['-c', String(cores.subject), 'npm', 'start', '--silent']
    const child = spawn('taskset', words, { cwd: join(import.meta.dir, '../..'), env, stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await firstAnswer(port, ask(chat), () => child.exitCode !== null)
    took = performance.now() - begun
    child.kill('SIGTERM')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
  await database?.drop()
  return took
}
