/** A database that is restored from an older backup or replaced with a different one: what happens to the journal of its data folder. */
import { afterEach, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EngineName, sampledEngines } from '#testing/database/database'
import { putEmbeddedDatabase } from '#testing/database/embedded-template'
import { administrator, type Program, startProgram } from '#testing/program/program'
import { type Ended, runDb } from './support/db-command.ts'
import { databaseOn, startGateway } from './support/gateway.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
}, 30_000)

const written = 'the journal of an earlier run was written into the accounts'
const strange = 'the journal of an earlier run belongs to another database; its files are kept'
const credit = 2_500_000_000n
const nano = (usd: unknown) => BigInt(Math.round(Number(usd) * 1e9))
const times = ({ output }: Program, line: string) => output().split(line).length - 1

/** A Parley on this engine that can be stopped, killed and restarted, and one of its customers. */
async function newInstallation(engine: EngineName) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-restore-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  const database = await databaseOn(engine)
  undo.push(database.drop)
  const env = { ...administrator, ...database.env, PARLEY_DEMO: 'on' }
  const gateway = await startGateway('embedded', { folder, env })
  const { key } = await gateway.user('ann', '2.5')
  let { program } = gateway
  undo.push(() => program.stop())
  const asked: string[] = []
  return {
    folder,
    data: join(folder, 'data'),
    db: (...args: string[]): Promise<Ended> => runDb(args, { PARLEY_DATA: join(folder, 'data'), ...database.env }),
    program: () => program,
    async start() {
      program = await startProgram({ folder, env })
      return program
    },
    stop: () => program.stop(),
    async kill() {
      process.kill(program.pid, 'SIGKILL')
      await program.stop()
    },
    async ask(requests: number) {
      for (let n = 0; n < requests; n++) {
        const answer = await fetch(`${program.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }] }),
        })
        expect(answer.status).toBe(200)
        await answer.text()
        asked.push(answer.headers.get('x-request-id') ?? '')
      }
    },
    /** Every request ever answered has one row, and the balance is the credit minus their cost. */
    async check() {
      const session = await signIn(program)
      const { data: rows } = await session<{ requestId: string; cost: string }>('/api/logs?limit=200')
      expect(rows.map(({ requestId }) => requestId).sort()).toEqual([...asked].sort())
      const spent = rows.reduce((sum, { cost }) => sum + nano(cost), 0n)
      expect(spent).toBeGreaterThan(0n)
      const { data: users } = await session<{ name: string; balance: string }>('/api/users')
      expect(nano(users.find(({ name }) => name === 'ann')?.balance)).toBe(credit - spent)
    },
  }
}

async function signIn({ url }: Program) {
  const body = JSON.stringify({ name: administrator.PARLEY_ADMIN_USER, password: administrator.PARLEY_ADMIN_PASSWORD })
  const signedIn = await fetch(`${url}/api/session`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return async <Row>(path: string) => (await (await fetch(url + path, { headers: { cookie } })).json()) as { data: Row[] }
}

const backedUp = 'what was answered after a backup is in the books again when the backup is restored, once, on %s'
test.each(sampledEngines(import.meta.file))(
  backedUp,
  async (engine) => {
    const installation = await newInstallation(engine)
    await installation.ask(2)
    await installation.stop()
    const file = join(installation.folder, 'older.backup')
    expect(await installation.db('backup', file)).toMatchObject({ code: 0, complaint: '' })
    await installation.start()
    await installation.ask(3)
    await installation.stop()
    await installation.start()
    await installation.ask(2)
    await installation.kill()

    expect(await installation.db('restore', file, '--replace', 'everything')).toMatchObject({ code: 0, complaint: '' })
    const first = await installation.start()
    expect([times(first, written), times(first, strange)]).toEqual([1, 0])
    await installation.check()
    await installation.ask(1)
    await installation.stop()
    const second = await installation.start()
    expect([times(second, written), times(second, strange)]).toEqual([0, 0])
    await installation.check()
  },
  180_000,
)

test('with another database the journal is kept, said once, and belongs to its own database still', async () => {
  const installation = await newInstallation('embedded')
  await installation.stop()
  const [database, older, journal] = [
    join(installation.data, 'pglite'),
    join(installation.folder, 'older'),
    join(installation.data, 'journal'),
  ]
  cpSync(database, older, { recursive: true })
  await installation.start()
  await installation.ask(2)
  await installation.kill()
  const name = readdirSync(journal).find((name) => /^\d+$/.test(name)) ?? ''

  rmSync(database, { recursive: true })
  await putEmbeddedDatabase(installation.data)
  const other = await installation.start()
  expect([times(other, written), times(other, strange)]).toEqual([0, 1])
  expect(readdirSync(journal)).toContain(`${name}.kept`)
  expect(readdirSync(journal)).not.toContain(name)
  const mine = await fetch(`${other.url}/v1/models`, { headers: { authorization: `Bearer ${other.printed('PARLEY_KEY')}` } })
  expect(mine.status).toBe(200)
  await installation.stop()
  expect(times(await installation.start(), strange)).toBe(0)
  await installation.stop()

  rmSync(database, { recursive: true })
  renameSync(older, database)
  renameSync(join(journal, `${name}.kept`), join(journal, name))
  expect(times(await installation.start(), written)).toBe(1)
  await installation.check()
}, 180_000)
