/** `parley db` as an operator runs it, on a database filled by Parley itself: from the folder to PostgreSQL, to a file, and back. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { administrator, administratorPassword, startProgram } from '#testing/program/program'
import { runDb as db, type Ended } from './support/db-command.ts'
import { startGateway } from './support/gateway.ts'

/** The output lines that name a table. */
const sums = ({ said }: Ended) => said.split('\n').filter((line) => /\d rows {2}[0-9a-f]{32}/.test(line))

/** What the accounts look like from outside. */
async function seen(url: string, key: string) {
  const credentials = { name: administrator.PARLEY_ADMIN_USER, password: administratorPassword }
  const body = JSON.stringify(credentials)
  const signedIn = await fetch(`${url}/api/session`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const list = async (path: string): Promise<Record<string, unknown>[]> => {
    const answer = await fetch(url + path, { headers: { cookie } })
    return ((await answer.json()) as { data: Record<string, unknown>[] }).data
  }
  const models = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  return {
    status: models.status,
    users: (await list('/api/users')).map(({ name, balance }) => [name, balance]),
    logs: (await list('/api/logs')).map(({ requestId, cost }) => [requestId, cost]),
    // The built-in one was always made just now.
    channels: (await list('/api/channels')).filter(({ id }) => id !== 'demo').map(({ name, keys }) => [name, keys]),
  }
}

describe.each(engines.filter((engine) => engine === 'postgres'))('everything that Parley wrote, between its folder and %s', () => {
  let folder: string
  let data: string
  let url: string
  let drop: () => Promise<void>
  let file: string
  /** The sums of the file, which never changes, and of the folder that it was made from. */
  let whole: string[]
  let key: string
  let before: Awaited<ReturnType<typeof seen>>
  let running: Ended

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-db-'))
    data = join(folder, 'data')
    file = join(folder, 'all.backup')
    const database = await newPostgresDatabase()
    url = database.url
    drop = database.drop
    const gateway = await startGateway('embedded', { folder, env: { PARLEY_DEMO: 'on' } })
    ;({ key } = await gateway.user('ann', '2.5'))
    await gateway.channel('sealed', 'http://127.0.0.1:9/v1')
    for (let n = 0; n < 3; n++) {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }] }),
      })
      expect(answer.status).toBe(200)
      await answer.text()
    }
    before = await seen(gateway.url, key)
    expect(before.status).toBe(200)
    expect(before.users.map(([name]) => name)).toEqual(['admin', 'ann'])
    expect(before.channels).toMatchObject([['sealed', [{ hint: 'sk-...ndor' }]]])
    expect(before.logs).toHaveLength(3)
    running = await db(['backup', file], { PARLEY_DATA: data })
    await gateway.close()
  }, 180_000)
  afterAll(async () => {
    await drop?.()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a folder in use is refused', () => {
    expect(running).toMatchObject({ code: 1, complaint: `parley db backup: the data folder ${data} is used by another Parley\n` })
    expect(existsSync(file)).toBe(false)
  })

  test('goes into a file that only its owner may read, and the file can be judged', async () => {
    const made = await db(['backup', file], { PARLEY_DATA: data })
    expect(made).toMatchObject({ code: 0, complaint: '' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const there = await db(['verify', data])
    expect(there.said).toContain('The master key is the right one for this database.')
    whole = sums(made)
    expect(whole.length).toBeGreaterThan(10)
    expect(sums(there)).toEqual(whole)
    expect(sums(await db(['verify', file]))).toEqual(whole)
  }, 120_000)

  test('moves to PostgreSQL, where Parley goes on with the same accounts', async () => {
    await emptied(url)
    const moved = await db(['copy', '--from', data, '--to', url])
    expect(moved).toMatchObject({ code: 0, complaint: '' })
    expect(moved.said).not.toContain('parley@')
    expect(sums(moved)).toEqual(whole)
    expect((await db(['backup', file, '--from', url])).complaint).toContain('is there already')
    const program = await startProgram({ folder, env: { ...administrator, PARLEY_DEMO: 'on', DATABASE_URL: url } })
    try {
      expect(await seen(program.url, key)).toEqual(before)
      const busy = await db(['restore', file, '--to', url, '--replace', 'everything'])
      expect(busy.complaint).toContain('a running Parley uses')
      const live = await db(['backup', join(folder, 'live.backup'), '--from', url])
      expect(live).toMatchObject({ code: 0, complaint: '' })
    } finally {
      await program.stop()
    }
  }, 180_000)

  test('is not put over what is there, unless that may go', async () => {
    expect((await db(['restore', file, '--to', url])).complaint).toEndWith('is not empty; only an empty database is filled\n')
    expect((await db(['restore', file, '--to', url, '--replace', 'all'])).complaint).toContain(
      '--replace accepts only the word: everything',
    )
    const restored = await db(['restore', file, '--to', url, '--replace', 'everything'], { PARLEY_DATA: join(folder, 'nothing') })
    expect(restored).toMatchObject({ code: 0, complaint: '' })
    expect(restored.said).toContain('WARNING: secrets are sealed with a master key, and there is none')
    expect(sums(await db(['verify', url]))).toEqual(whole)
  }, 120_000)

  test('is not copied over itself, however it is called', async () => {
    const aliases = [url.replace(/^postgres:/, 'postgresql:'), `${url}?search_path=public`, url.replace('127.0.0.1', 'localhost')]
    for (const alias of aliases.filter((alias) => alias !== url)) {
      const refused = await db(['copy', '--from', url, '--to', alias, '--replace', 'everything'])
      expect(refused.code).toBe(1)
      expect(refused.complaint).toMatch(/^parley db copy: \S+ is the database that is copied\n$/)
    }
    for (const [from, to] of [
      [url, url],
      [data, `${data}/`],
    ] as const) {
      expect((await db(['copy', '--from', from, '--to', to])).complaint).toBe('parley db copy: --from and --to are the same\n')
    }
    expect(sums(await db(['verify', url]))).toEqual(whole)
  }, 120_000)

  test('is put back first where a replacement was killed between its two steps', async () => {
    const [database, old] = [join(data, 'pglite'), join(data, 'pglite.old')]
    const ended: Ended[] = []
    for (const args of [
      ['migrate', '--dry-run'],
      ['copy', '--from', url, '--to', data],
      ['verify', data],
    ]) {
      renameSync(database, old)
      ended.push(await db(args, { PARLEY_DATA: data }))
      expect([args, existsSync(database), existsSync(old)]).toEqual([args, true, false])
    }
    expect(ended.map(({ code }) => code)).toEqual([0, 1, 0])
    expect(ended[0]?.said).toContain('No migrations are pending')
    expect(ended.slice(2).map(sums)).toEqual([whole])
  }, 120_000)

  test('comes back into a folder, and nothing half-made stays', async () => {
    const home = join(folder, 'home')
    expect(await db(['copy', '--from', url, '--to', home])).toMatchObject({ code: 0, complaint: '' })
    expect(readdirSync(home).sort()).toEqual(['lock', 'pglite'])
    const other = await db(['verify', home], { PARLEY_MASTER_KEY: 'ab'.repeat(32) })
    expect(other.said).toContain('the master key in PARLEY_MASTER_KEY is a different one')
    expect(sums(other)).toEqual(whole)
  }, 120_000)

  test('a dry run lists the migrations of a start, and applies none', async () => {
    const nowhere = join(folder, 'nowhere')
    expect((await db(['migrate', '--dry-run', '--at', nowhere])).said).toContain(
      'There is no database yet. Starting Parley would create it with these migrations:\n0000_first',
    )
    expect(existsSync(nowhere)).toBe(false)
    expect((await db(['verify', nowhere])).complaint).toContain('there is no database in')
    await emptied(url)
    expect((await db(['migrate', '--dry-run', '--at', url])).said).toContain('Starting Parley would apply:\n0000_first')
    expect((await db(['migrate', '--at', url])).code).toBe(0)
    expect((await db(['migrate', '--at', url])).said).toContain('No migrations are pending')
  }, 120_000)

  test('what is asked wrongly is answered with how to ask', async () => {
    for (const args of [[], ['drop'], ['copy', 'a'], ['backup'], ['restore', 'a', 'b'], ['verify', '--from', 'x'], ['migrate', '--dry']]) {
      const { code, complaint } = await db(args)
      expect([args, code]).toEqual([args, 2])
      expect(complaint).toStartWith('Usage:')
    }
  }, 60_000)
})

async function emptied(url: string): Promise<void> {
  await using client = new Bun.SQL(url)
  await client.unsafe('drop schema if exists drizzle cascade; drop schema public cascade; create schema public')
}
