/** `parley books check` as an operator runs it: beside a running Parley and without one, on both engines; its exit codes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BooksReport } from '#shared/console/books'
import { engines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { administrator } from '#testing/program/program'
import { runParley } from './support/db-command.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

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
    expect(said).toMatch(/^The books at \S+: exact\. Balances [\d.]+ USD, of it [\d.]+ USD on lease\.\nledger {3}exact/)
  }, 60_000)

  test('is for administrators, and says why it could not check', async () => {
    const { session } = await gateway.user('bob', '1')
    expect((await session.raw('GET', '/api/books')).status).toBe(403)
    const nowhere = await check('--at', join(folder, 'nothing'))
    expect([nowhere.code, nowhere.said]).toEqual([2, ''])
    expect(nowhere.complaint).toBe(`parley books check: there is no database in ${join(folder, 'nothing')}\n`)
    expect((await runParley(['books', 'everything'], place)).complaint).toStartWith('Usage: ')
  }, 60_000)

  test('without one; a fault is exit code 1', async () => {
    await gateway.program.stop()
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
