/** `parley books check` as an operator runs it: beside a running Parley and without one, on both engines; its exit codes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BooksReport } from '#shared/console/books'
import { engines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { administrator } from '#testing/program/program'
import { runParley } from './support/db-command.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

/** The examples of the page, by language. */
const page = readFileSync(join(import.meta.dir, '../docs/billing.md'), 'utf8')
const printed = new Map([...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => [language, text]))

describe.each([...engines])('on %s', (engine) => {
  let folder: string
  let gateway: Gateway
  let place: Record<string, string>
  let drop = async () => {}

  const check = (...args: string[]) => runParley(['books', 'check', ...args], place)

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-books-'))
    const database = engine === 'postgres' ? await newPostgresDatabase() : undefined
    if (database) drop = database.drop
    const env = { PARLEY_DEMO: 'on', ...(database && { DATABASE_URL: database.url }) }
    gateway = await startGateway('embedded', { folder, env })
    place = { ...administrator, PARLEY_DATA: join(folder, 'data'), ...(database && { DATABASE_URL: database.url }) }
    const { key } = await gateway.user('ann', '2.5')
    for (let n = 0; n < 3; n++) {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }] }),
      })
      expect(answer.status).toBe(200)
      const [row] = (await gateway.admin.call<{ data: { settled: boolean }[] }>('GET', '/api/logs?limit=1')).data
      expect(row?.settled).toBe(true)
    }
  }, 90_000)
  afterAll(async () => {
    await gateway?.close()
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('beside a running Parley', async () => {
    const json = await check('--json', '--url', gateway.url)
    expect([json.code, json.complaint]).toEqual([0, ''])
    const report: BooksReport = JSON.parse(json.said)
    expect(report).toMatchObject({ exact: true, faults: [], looked: { rows: 3, journals: 1, requestsInJournals: 3 } })
    const { code, said } = await check('--url', gateway.url)
    expect(code).toBe(0)
    expect(said).toMatch(/^The books at \S+: exact\. Balances [\d.]+ USD, of which [\d.]+ USD is on lease\.\nledger {3}exact/)
  }, 60_000)

  test('with a management key, at the address in PARLEY_URL; without credentials it could not check', async () => {
    const { PARLEY_DATA = '', DATABASE_URL } = place
    if (DATABASE_URL) return
    const { key } = await gateway.admin.call<{ key: string }>('POST', '/api/management-keys', { name: 'auditor', scopes: ['read'] })
    const asked = (env: Record<string, string>) => runParley(['books', 'check'], { PARLEY_DATA, PARLEY_URL: gateway.url, ...env })
    expect(await asked({ PARLEY_MANAGEMENT_KEY: key })).toMatchObject({ code: 0, complaint: '' })
    expect(await asked({ PARLEY_MANAGEMENT_KEY: 'pk-wrong' })).toMatchObject({ code: 2, said: '' })
    const unnamed = await asked({})
    expect([unnamed.code, unnamed.complaint]).toEqual([2, expect.stringContaining('Set PARLEY_MANAGEMENT_KEY')])
  }, 60_000)

  test('a row whose charge may still change is marked', async () => {
    if (!place.DATABASE_URL) return
    await using client = new Bun.SQL(place.DATABASE_URL, { max: 1 })
    const rows = async () =>
      (await gateway.admin.call<{ data: { requestId: string; settled: boolean }[] }>('GET', '/api/logs?limit=9')).data
    const [newest] = await rows()
    // As a start on a copied data folder notes a request that it writes as interrupted.
    await client`insert into unsettled (request_id, at) select request_id, at from logs where request_id = ${newest?.requestId}`
    expect((await rows()).map(({ settled }) => settled)).toEqual([false, true, true])
    expect(await gateway.admin.call('GET', `/api/logs/${newest?.requestId}`)).toMatchObject({ settled: false })
    await client`delete from unsettled`
    expect((await rows()).map(({ settled }) => settled)).toEqual([true, true, true])
  })

  test('is for administrators, and reports why it could not check', async () => {
    const { session } = await gateway.user('bob', '1')
    expect((await session.raw('GET', '/api/books')).status).toBe(403)
    const nowhere = await check('--at', join(folder, 'nothing'))
    expect([nowhere.code, nowhere.said]).toEqual([2, ''])
    expect(nowhere.complaint).toBe(`parley books check: there is no database in ${join(folder, 'nothing')}\n`)
    for (const words of [['books', 'everything'], ['books'], ['route', 'a', 'b'], ['db']]) {
      const { code, complaint } = await runParley(words, place)
      expect([words, code]).toEqual([words, 2])
      expect(complaint).toStartWith('Usage:')
    }
  }, 60_000)

  test('as in docs/billing.md: its commands find the books exact, its statements return no row', async () => {
    await gateway.program.stop()
    const [commands = '', statements = ''] = ['sh', 'sql'].map((language) => printed.get(language))
    for (const line of commands.trim().split('\n')) {
      expect(line).toStartWith('bun server/cli.ts ')
      const { code, complaint } = await runParley(line.split(' ').slice(2), place)
      expect([line, code, complaint]).toEqual([line, 0, ''])
    }
    if (!place.DATABASE_URL) return
    await using client = new Bun.SQL(place.DATABASE_URL, { max: 1 })
    const each = statements.split(';').filter((statement) => statement.trim() !== '')
    expect(each).toHaveLength(2)
    for (const statement of each) expect((await client.unsafe(statement)).length).toBe(0)
    await client.unsafe(`update logs set charged = charged + 1; update accounts set free = free + 1 where kind = 'wallet'`)
    for (const statement of each) expect((await client.unsafe(statement)).length).toBeGreaterThan(0)
    await client.unsafe(`update logs set charged = charged - 1; update accounts set free = free - 1 where kind = 'wallet'`)
  }, 90_000)

  test('without one; a fault is exit code 1', async () => {
    const stopped = await check()
    expect([stopped.code, stopped.complaint]).toEqual([0, ''])
    expect(stopped.said).toContain('journals exact     1 journals, 3 requests')
    const journals = join(folder, 'data', 'journal')
    const name = readdirSync(journals).find((one) => /^\d+$/.test(one)) ?? ''
    renameSync(join(journals, name), join(journals, `${name}.kept`))
    const wrong = await check()
    expect(wrong.code).toBe(1)
    expect(wrong.said).toContain(`WRONG journals: J3 a journal is of this database, and all of it can be written: ${journals}/${name}.kept`)
  }, 90_000)
})
