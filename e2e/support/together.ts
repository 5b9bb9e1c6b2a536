/** Several programs on one PostgreSQL, with one channel and its scripted upstream: from outside they must behave as one. */
import { type NewDatabase, newPostgresDatabase } from '#testing/database/postgres-server'
import { type Program, type ProgramOptions, startProgram } from '#testing/program/program'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway, testModel } from './gateway.ts'

/** The programs and what they share. */
export interface Together {
  database: NewDatabase
  upstream: ScriptedUpstream
  /** The first program. */
  gateway: Gateway
  /** The others; programs that a test has killed may remain in the list. */
  programs: readonly Program[]
  /** The addresses of all of them. */
  urls: string[]
  /** Starts one more, for its caller to stop. */
  start(options?: ProgramOptions): Promise<Program>
  /** Resolves when all programs accept the key. */
  known(key: string): Promise<void>
  /** Sends POST /v1/chat/completions to one of them. */
  ask(url: string, key: string, body: string, signal?: AbortSignal): Promise<Response>
  close(): Promise<void>
}

/** Starts `count` programs, with the model priced like the demo. */
export async function startTogether(count: number, script: Script): Promise<Together> {
  const database = await newPostgresDatabase()
  const upstream = await scriptedUpstream(script)
  const shared = { DATABASE_URL: database.url, PARLEY_MASTER_KEY: 'ab'.repeat(32) }
  const start = ({ env = {}, ...options }: ProgramOptions = {}) => startProgram({ ...options, env: { ...shared, ...env } })
  const gateway = await startGateway('embedded', { env: shared })
  await gateway.channel('only', upstream.url)
  await gateway.price(testModel)
  const others: Program[] = []
  while (others.length < count - 1) others.push(await start())
  const urls = [gateway, ...others].map(({ url }) => url)

  return {
    database,
    upstream,
    gateway,
    programs: others,
    urls,
    start,
    async known(key) {
      const knows = (url: string) => fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } }).then(({ ok }) => ok)
      for (const url of urls) while (!(await knows(url))) await Bun.sleep(20)
    },
    ask: (url, key, body, signal) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body,
        ...(signal && { signal }),
      }),
    async close() {
      for (const program of others) await program.stop()
      await gateway.close()
      await upstream.close()
      await database.drop()
    },
  }
}
