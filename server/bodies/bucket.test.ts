/** Kept bodies in a bucket: moved there, read and deleted there by any instance, within their bounds, and what happens while it is away. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiKey, Caller, Group, User } from '#accounts/caller'
import { type Clock, systemClock, systemRandom } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { sealer } from '#runtime/secrets'
import { type BucketPlace, openBucket } from '#runtime/storage/bucket'
import { type BodySettings, usualBodies } from '#shared/console/body'
import { createUser } from '#store/accounts/users'
import { findBody } from '#store/bodies/kept-bodies'
import { type BucketServer, bucketServer } from '#testing/bucket/bucket-server'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { type Bodies, openBodies } from './bodies.ts'
import { packed } from './lot.ts'
import { createBodyWork, spoolFull } from './work.ts'

const [one, two, stranger] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)] as const
const hourMs = 3_600_000
const common = { group: 'default', groups: ['default'], enabled: true, managed: 'console', budget: null, limits: null } as const
const userNamed = (name: string, role: User['role'] = 'user'): User => ({ id: `id-${name}`, name, role, createdAt: new Date(0), ...common })
const [ann, bob, chief] = [userNamed('ann'), userNamed('bob'), userNamed('chief', 'admin')]
const callerOf = (user: User): Caller => {
  const key = { id: `key-${user.name}`, keepBodies: true } as ApiKey
  return { user, key, group: { keepBodies: null } as Group, models: null, strict: false }
}

describe.each(sampledEngines(import.meta.file))('a bucket of kept bodies on %s', (engine) => {
  let base: Throwaway
  let bucket: BucketServer
  let settings: BodySettings
  let shift: number
  let lines: string[]
  let open: Bodies[]
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + shift }
  const note = (_: object, line: string) => void lines.push(line)
  const log: Log = { debug: note, info: note, warn: note, error: note }

  function start(instance: string, place: BucketPlace = bucket.place): Bodies {
    const parts = { store: base.store, sealer: sealer('1'.repeat(64)), clock, random: systemRandom, log, instance }
    const bodies = openBodies({
      ...parts,
      settings: () => settings,
      folder: join(base.folder, instance),
      bucket: place,
      isMember: () => false,
    })
    open.push(bodies)
    return bodies
  }
  const spooled = (instance: string) => (existsSync(join(base.folder, instance)) ? readdirSync(join(base.folder, instance)) : [])

  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    await runSql(base.store, `insert into instances (folder) values ('${one}'), ('${two}')`)
  }, 60_000)
  afterAll(() => base.close())
  beforeEach(async () => {
    await runSql(base.store, 'truncate users cascade')
    for (const user of [ann, bob, chief]) await createUser(base.store, { user: { ...user, groups: [...user.groups], passwordHash: null } })
    for (const instance of [one, two]) await rm(join(base.folder, instance), { recursive: true, force: true })
    bucket = await bucketServer()
    settings = usualBodies
    shift = 0
    lines = []
    open = []
  })
  afterEach(async () => {
    await Promise.all(open.map((bodies) => bodies.close()))
    await bucket.remove()
  })

  let asked = 0
  async function keep(bodies: Bodies, user: User, body: string): Promise<string> {
    const requestId = `bucket-${++asked}`
    const url = new URL('http://here/v1/chat/completions')
    const capture = bodies.begin({ requestId, url, request: { method: 'POST', headers: new Headers() } }, callerOf(user))
    capture?.askedWith(Buffer.from(body))
    capture?.answeredWhole(200, {}, `answer to ${body}`)
    capture?.settled('complete')
    await bodies.flush()
    return requestId
  }
  /** An hour later every file is closed; the next round moves it. */
  async function later(...some: Bodies[]): Promise<void> {
    shift += hourMs
    for (const bodies of some) await keep(bodies, chief, 'of the next hour')
    for (const bodies of some) await bodies.tidy()
  }
  async function recordOf(id: string): Promise<Buffer> {
    const row = await findBody(base.store, id)
    if (!row) throw new Error('no row')
    const file = (await bucket.objects()).get(row.segment)
    return Buffer.from(file?.subarray(row.offset, row.offset + row.length) ?? '')
  }
  const inBucket = async (record: Uint8Array) => [...(await bucket.objects()).values()].some((file) => Buffer.from(file).includes(record))
  const textOf = async (bodies: Bodies, by: User, id: string) =>
    Buffer.from((await bodies.read(by, id)).record.parts[0]?.body ?? '').toString()

  test('the open file stays here; a closed one is moved, and every instance reads it, alone and in an export', async () => {
    const [here, there] = [start(one), start(two)]
    const id = await keep(here, ann, 'hello')
    expect((await bucket.objects()).size).toBe(0)
    await expect(there.read(ann, id)).rejects.toMatchObject({ code: 'body_elsewhere' })
    await later(here)
    expect(spooled(one)).toHaveLength(1)
    expect((await recordOf(id)).length).toBeGreaterThan(0)
    expect([await textOf(here, ann, id), await textOf(there, ann, id)]).toEqual(['hello', 'hello'])
    const [line] = await Array.fromAsync(there.lines(ann, [{ requestId: id, head: '{"a":1}' }], ['client-request']))
    expect(JSON.parse(Buffer.from(line ?? '').toString())).toMatchObject({ a: 1, whole: false, parts: [{ text: 'hello' }] })
    const bytes = [...(await bucket.objects()).values()].reduce((sum, file) => sum + file.length, 0)
    expect(here.state()).toMatchObject({ place: 's3://kept/parley/kept', bytes, bucketFault: null })
  })

  test('deleting one, a key’s and a user’s leaves nothing of them in the bucket', async () => {
    const here = start(one)
    const ids = [
      await keep(here, ann, 'one'),
      await keep(here, ann, 'two'),
      await keep(here, bob, 'three'),
      await keep(here, chief, 'four'),
    ]
    await later(here)
    const records = await Promise.all(ids.map(recordOf))
    await here.remove(ann, ids[0] ?? '')
    await here.tidy()
    expect(await Promise.all(records.map(inBucket))).toEqual([false, true, true, true])
    await here.removeAll(ann, { keyId: 'key-ann' })
    await here.removeAll(chief, { userId: bob.id })
    await here.tidy()
    expect(await Promise.all(records.map(inBucket))).toEqual([false, false, false, true])
    expect(await textOf(here, chief, ids[3] ?? '')).toBe('four')
  })

  test('two instances write, read and delete in one bucket, each in files of its own', async () => {
    const [here, there] = [start(one), start(two)]
    const [mine, its] = [await keep(here, ann, 'of one'), await keep(there, ann, 'of two')]
    await later(here, there)
    expect([...(await bucket.objects()).keys()].map((name) => name.split('-')[1])).toEqual([one, two])
    const record = await recordOf(its)
    await here.remove(ann, its)
    // The writer removes it.
    await here.tidy()
    expect(await inBucket(record)).toBe(true)
    await there.tidy()
    expect([await inBucket(record), await textOf(there, ann, mine)]).toEqual([false, 'of one'])
  })

  test('what an instance that is gone has left is taken over, and what another installation has there is not touched', async () => {
    const [here, there] = [start(one), start(two)]
    const [first, second] = [await keep(there, ann, 'goes'), await keep(there, ann, 'stays')]
    await later(there)
    await there.close()
    open = [here]
    await openBucket(bucket.place).put(`2026010101-${stranger}-0001.bodies`, new Uint8Array([1, 2, 3]))
    const record = await recordOf(first)
    await here.remove(ann, first)
    await here.tidy()
    expect(await inBucket(record)).toBe(true)
    shift += 600_000
    await here.tidy()
    expect([await inBucket(record), await textOf(here, ann, second)]).toEqual([false, 'stays'])
    shift += 31 * 24 * hourMs
    await here.tidy()
    shift += 600_000
    await here.tidy()
    expect([...(await bucket.objects()).keys()]).toEqual([`2026010101-${stranger}-0001.bodies`])
  })

  test('old days go, and the oldest files where there are too many bytes', async () => {
    const here = start(one)
    const noise = () => randomBytes(700_000).toString('base64')
    const old = await keep(here, ann, 'old')
    shift += 30 * 24 * hourMs
    const large = await keep(here, ann, noise())
    shift += hourMs
    const last = await keep(here, ann, noise())
    settings = { ...usualBodies, mebibytes: 1 }
    shift += hourMs
    await later(here)
    await here.tidy()
    expect(await here.keptAmong([old, large, last])).toEqual(new Set([last]))
    const bytes = [...(await bucket.objects()).values()].reduce((sum, file) => sum + file.length, 0)
    expect(bytes).toBeLessThan(1024 * 1024)
    expect(bytes).toBe(here.state().bytes ?? 0)
  })

  test('an unreachable bucket is reported once; bodies wait here and can be read, and are moved there when it is back', async () => {
    const here = start(one)
    await here.tidy()
    await bucket.stop()
    const id = await keep(here, ann, 'waits')
    await later(here)
    await here.tidy()
    expect(here.state()).toMatchObject({ bucketFault: { cause: 'ECONNREFUSED' }, stopped: null, dropped: 0 })
    expect(here.state().notUploaded).toBeGreaterThan(0)
    expect(lines.filter((line) => line.includes('refuses'))).toHaveLength(1)
    expect(await textOf(here, ann, id)).toBe('waits')
    await bucket.start()
    await here.tidy()
    expect((await recordOf(id)).length).toBeGreaterThan(0)
    expect(here.state()).toMatchObject({ bucketFault: null })
    expect(lines.filter((line) => line.includes('is available again'))).toHaveLength(1)
  })

  test('wrong credentials say so, and keeping goes on', async () => {
    const here = start(one, { ...bucket.place, secretAccessKey: 'wrong' })
    const id = await keep(here, ann, 'kept here')
    await here.tidy()
    expect(here.state()).toMatchObject({ bucketFault: { cause: 'SignatureDoesNotMatch' }, kept: 1 })
    expect(await textOf(here, ann, id)).toBe('kept here')
  })

  test('an instance that ends moves everything, one that was killed does so at its next start, and no name comes twice', async () => {
    const first = start(one)
    const id = await keep(first, ann, 'before the end')
    await first.close()
    expect([spooled(one), (await recordOf(id)).length > 0]).toEqual([[], true])
    const second = start(one)
    const other = await keep(second, ann, 'in the same hour')
    await second.close()
    expect((await bucket.objects()).size).toBe(2)
    const killed = start(one)
    // Its round at the start is over; the next one is far.
    await killed.tidy()
    const left = await keep(killed, ann, 'left in the folder')
    const third = start(one)
    await third.tidy()
    expect((await bucket.objects()).size).toBe(3)
    open = [third, killed]
    const all = await Promise.all([id, other, left].map((one) => textOf(third, ann, one)))
    expect(all).toEqual(['before the end', 'in the same hour', 'left in the folder'])
  })
})

test('a folder that is full until the bucket takes again refuses and says why', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-spool-'))
  const work = createBodyWork(folder, one, { largest: 1_000, most: 2_000, series: 's' })
  const body = randomBytes(1_500)
  const part = { border: 'client-request' as const, headers: [], atMs: 0, bytes: body.length, pieces: [], chunks: [body] }
  const lot = (requestId: string) => ({
    ...packed([{ facts: { requestId, at: 0, userId: 'u', keyId: null }, parts: [part] }]),
    rules: { fields: [], numbers: false },
  })
  expect(['r1', 'r2', 'r3'].map((id) => work.keep(lot(id)).fault)).toEqual([undefined, undefined, spoolFull])
  for (const { name } of work.closed()) work.remove(name)
  expect(work.keep(lot('r4')).fault).toBeUndefined()
  rmSync(folder, { recursive: true })
})
