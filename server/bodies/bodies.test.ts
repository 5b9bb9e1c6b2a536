/** Kept bodies on a database: kept, read, deleted from the rows and from the files, and within their bounds. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiKey, Caller, Group, User } from '#accounts/caller'
import { type Clock, systemClock, systemRandom } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { sealer } from '#runtime/secrets'
import { type BodySettings, usualBodies } from '#shared/console/body'
import { GatewayError } from '#shared/errors'
import { pageAudit } from '#store/accounts/audit'
import { deleteTeam, insertTeams } from '#store/accounts/teams'
import { createUser, deleteUser } from '#store/accounts/users'
import { bodiesIn, findBody } from '#store/bodies/kept-bodies'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { type Bodies, openBodies } from './bodies.ts'
import type { Capture } from './capture.ts'

const instance = 'b'.repeat(32)
const master = '1'.repeat(64)

function userNamed(name: string, role: User['role'] = 'user'): User {
  const common = { group: 'default', groups: ['default'], enabled: true, managed: 'console', budget: null, limits: null } as const
  return { id: `id-${name}`, name, role, createdAt: new Date(0), ...common }
}
const [ann, bob, chief] = [userNamed('ann'), userNamed('bob'), userNamed('chief', 'admin')]
const group: Group = {
  ...{ name: 'default', description: '', ratio: 1_000_000n, keepBodies: null, fallbacks: null, budget: null, limits: null, enabled: true },
  managed: 'console',
}
const callerOf = (user: User, keep: ApiKey['keepBodies'] = true): Caller => {
  const key = { id: `key-${user.name}`, keepBodies: keep } as ApiKey
  return { user, key, group, models: null, strict: false }
}

describe.each(sampledEngines(import.meta.file))('kept bodies on %s', (engine) => {
  let base: Throwaway
  let bodies: Bodies
  let settings: BodySettings
  /** Members of teams. */
  let places: Set<string>
  let shift = 0
  let lines: string[]
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + shift }
  const note = (_: object, line: string) => void lines.push(line)
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const folder = () => join(base.folder, 'bodies')
  const files = () => (existsSync(folder()) ? readdirSync(folder()).sort() : [])
  const contents = () => Buffer.concat(files().map((name) => readFileSync(join(folder(), name))))

  function open(key = master, inFolder = folder(), who = instance): Bodies {
    const random = { fraction: () => 0.5, hex: systemRandom.hex }
    return openBodies({
      store: base.store,
      sealer: sealer(key),
      clock,
      random,
      log,
      instance: who,
      settings: () => settings,
      folder: inFolder,
      isMember: (teamId, userId) => places.has(`${teamId}.${userId}`),
    })
  }

  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())
  beforeEach(async () => {
    await runSql(base.store, 'truncate users, kept_bodies cascade')
    for (const user of [ann, bob, chief]) await createUser(base.store, { user: { ...user, groups: [...user.groups], passwordHash: null } })
    await rm(folder(), { recursive: true, force: true })
    settings = usualBodies
    places = new Set()
    shift = 0
    lines = []
    bodies = open()
  })
  afterEach(() => bodies.close())

  let asked = 0
  function begin(user = ann, { keep = true, headers = {} }: { keep?: ApiKey['keepBodies']; headers?: Record<string, string> } = {}) {
    const url = new URL('http://parley/v1/chat/completions?key=sk-secret')
    const request = { method: 'POST', headers: new Headers({ authorization: 'Bearer sk-secret', ...headers }) }
    return bodies.begin({ requestId: `req_${++asked}`, url, request }, callerOf(user, keep))
  }
  function finish(capture: Capture | undefined, body: string, end: Capture['end'] = 'complete'): string {
    if (!capture) throw new Error('not captured')
    capture.askedWith(Buffer.from(body))
    capture.answeredWhole(end === 'complete' ? 200 : 500, { 'content-type': 'application/json' }, `answer to ${body}`)
    capture.settled(end ?? 'complete')
    return capture.facts.requestId
  }
  const keep = async (user: User, body: string): Promise<string> => {
    const id = finish(begin(user), body)
    await bodies.flush()
    return id
  }
  const code = async (work: Promise<unknown>) =>
    work.then(
      () => 'fine',
      (thrown) => (thrown instanceof GatewayError ? thrown.code : String(thrown)),
    )
  const textOf = async (by: User, id: string) => {
    const { record } = await bodies.read(by, id)
    return record.parts.map(({ border, body }) => `${border}: ${Buffer.from(body)}`)
  }

  test('losses reach the header, and what is not wanted is not begun', () => {
    expect(begin()?.label).toBe('30d')
    expect(begin(ann, { keep: 'errors' })?.label).toBe('may')
    expect(begin(ann, { keep: 0.6 })?.label).toBe('30d')
    expect(begin(ann, { keep: 0.4 })).toBeUndefined()
    expect(begin(ann, { keep: false })).toBeUndefined()
    expect(begin(ann, { headers: { 'x-parley-store': 'No' } })).toBeUndefined()
    settings = { ...usualBodies, keep: true, days: 3 }
    expect(begin(ann, { keep: 'errors' })?.label).toBe('3d')
  })

  test('a kept request is read byte for byte, by its owner and by administrators; each reading is in the audit', async () => {
    const id = await keep(ann, '{"é":1}')
    expect(await textOf(ann, id)).toEqual(['client-request: {"é":1}', 'client-answer: answer to {"é":1}'])
    expect(await textOf(chief, id)).toHaveLength(2)
    expect(await code(bodies.read(bob, id))).toBe('not_found')
    const { rows } = await pageAudit(base.store, { limit: 5, action: 'body.read' })
    expect(rows.map(({ actor, target }) => [actor, target])).toEqual([
      [chief.id, id],
      [ann.id, id],
    ])
    settings = { ...usualBodies, readers: 'owners' }
    expect(await code(bodies.read(chief, id))).toBe('not_permitted')
    expect(await textOf(ann, id)).toHaveLength(2)
  })

  test('only what fails is kept where only that is wanted', async () => {
    const fine = finish(begin(ann, { keep: 'errors' }), 'fine')
    const failed = finish(begin(ann, { keep: 'errors' }), 'failed', 'error')
    await bodies.flush()
    expect(await bodies.keptAmong([fine, failed])).toEqual(new Set([failed]))
    expect(bodies.state()).toMatchObject({ kept: 1, dropped: 0, waitingBytes: 0 })
  })

  test('deleting one, a key’s or a user’s leaves nothing: no row, no key, no byte in the files', async () => {
    const ids = [await keep(ann, 'one'), await keep(ann, 'two'), await keep(bob, 'three'), await keep(chief, 'four')]
    const recordOf = async (id = '') => {
      const row = await findBody(base.store, id)
      if (!row) throw new Error('no row')
      return readFileSync(join(folder(), row.segment)).subarray(row.offset, row.offset + row.length)
    }
    const [one, two, three, four] = [await recordOf(ids[0]), await recordOf(ids[1]), await recordOf(ids[2]), await recordOf(ids[3])]
    expect(await code(bodies.remove(bob, ids[0] ?? ''))).toBe('not_found')
    await bodies.remove(ann, ids[0] ?? '')
    expect(await code(bodies.read(ann, ids[0] ?? ''))).toBe('not_found')
    await bodies.tidy()
    expect([one, two, three, four].map((record) => contents().includes(record))).toEqual([false, true, true, true])
    expect(await textOf(ann, ids[1] ?? '')).toHaveLength(2)
    expect(await bodies.removeAll(ann, { keyId: 'key-ann' })).toBe(1)
    expect(await bodies.removeAll(chief, { userId: bob.id })).toBe(1)
    await bodies.tidy()
    expect([one, two, three, four].map((record) => contents().includes(record))).toEqual([false, false, false, true])
    expect(await textOf(chief, ids[3] ?? '')).toHaveLength(2)
    // Nothing but the record of the one that is left.
    expect(contents().length).toBe(four.length)
    const { rows } = await pageAudit(base.store, { limit: 5, action: 'body.remove' })
    expect(rows.map(({ target, after }) => [target, after])).toEqual([
      [bob.id, { count: 1 }],
      ['key-ann', { count: 1 }],
      [ids[0] ?? '', { count: 1 }],
    ])
  })

  test('a removed user takes the bodies along', async () => {
    await keep(chief, 'stays')
    const id = await keep(ann, 'goes')
    const row = await findBody(base.store, id)
    await deleteUser(base.store, ann.id)
    expect(await findBody(base.store, id)).toBeUndefined()
    finish(begin(ann), 'of a user who is gone')
    await bodies.flush()
    await bodies.tidy()
    shift = 3_600_000
    await keep(chief, 'an hour later')
    await bodies.tidy()
    expect(await bodiesIn(base.store, instance, row?.segment ?? '')).toEqual([])
    expect(files()).toHaveLength(2)
  })

  test('what was noted before a deletion is not written after it', async () => {
    const open = begin(ann)
    const waiting = finish(begin(ann), 'waits')
    await bodies.removeAll(ann, { userId: ann.id })
    const late = finish(open, 'was being answered')
    const after = await keep(ann, 'came after')
    expect(await bodies.keptAmong([waiting, late, after])).toEqual(new Set([after]))
    expect(bodies.state()).toMatchObject({ waitingBytes: 0 })
  })

  test('old days go, and the oldest files where there are too many bytes', async () => {
    const days = 86_400_000
    const first = await keep(ann, 'first')
    shift = 10 * days
    const second = await keep(ann, 'second')
    shift = 31 * days
    await bodies.tidy()
    expect(await bodies.keptAmong([first, second])).toEqual(new Set([second]))
    expect(files()).toHaveLength(1)
    const noise = () => randomBytes(700_000).toString('base64')
    const large = await keep(ann, noise())
    shift += 3_600_000
    const later = await keep(ann, noise())
    shift += 3_600_000
    const last = await keep(ann, 'last')
    settings = { ...usualBodies, mebibytes: 1 }
    await bodies.tidy()
    expect(await bodies.keptAmong([second, large, later, last])).toEqual(new Set([later, last]))
    expect(files().reduce((sum, name) => sum + statSync(join(folder(), name)).size, 0)).toBeLessThan(1.2 * 1024 * 1024)
  })

  test('a wrong master key, a damaged file and one of another instance are each named', async () => {
    const id = await keep(ann, 'sealed')
    await bodies.close()
    bodies = open('2'.repeat(64))
    await expect(bodies.read(ann, id)).rejects.toThrow('another master key')
    await bodies.close()
    bodies = open(master, join(base.folder, 'elsewhere'), 'c'.repeat(32))
    expect(await code(bodies.read(ann, id))).toBe('body_elsewhere')
    await bodies.close()
    bodies = open(master, folder(), 'c'.repeat(32))
    // Another instance that shares the folder reads it.
    expect(await textOf(ann, id)).toHaveLength(2)
    await bodies.close()
    bodies = open()
    await rm(folder(), { recursive: true })
    expect(await code(bodies.read(ann, id))).toBe('body_unreadable')
  })

  test('a folder that cannot be written only stops keeping, and is reported once', async () => {
    await bodies.close()
    await Bun.write(join(base.folder, 'file'), '')
    bodies = open(master, join(base.folder, 'file', 'bodies'))
    finish(begin(ann), 'one')
    await bodies.flush()
    expect(bodies.state()).toMatchObject({ kept: 0, dropped: 1, waitingBytes: 0, stopped: { cause: 'ENOTDIR' } })
    expect(begin(ann)).toBeUndefined()
    expect(lines.filter((line) => line.includes('are not kept for now'))).toHaveLength(1)
  })

  test('where there is no room requests are given up and counted, and the room comes back', async () => {
    const piece = new Uint8Array(15 * 1024 * 1024)
    const open = Array.from({ length: 5 }, () => begin(ann))
    for (const capture of open) capture?.askedWith(piece)
    expect(open.map((capture) => capture?.isGivenUp)).toEqual([false, false, false, false, true])
    for (const capture of open) finish(capture, 'end')
    await bodies.flush()
    expect(bodies.state()).toMatchObject({ kept: 4, dropped: 1, waitingBytes: 0 })
  }, 30_000)

  test('of a team’s requests a member reads and deletes its own, as long as it has a place there', async () => {
    const team = { ...userNamed('team'), id: 'team_1' }
    const record = {
      id: team.id,
      name: 'one',
      group: 'default',
      groups: ['default'],
      enabled: true,
      managed: 'console' as const,
      createdAt: new Date(),
    }
    await insertTeams(base.store, [{ ...record, models: null, budget: null, limits: null, plan: null, claim: null }])
    const url = new URL('http://here/v1/chat/completions')
    const ofMember = async (userId: string) => {
      const requestId = `req-${++asked}`
      const caller = { ...callerOf(team), member: { id: `team_1.${userId}`, userId } as Caller['member'] }
      const capture = bodies.begin({ requestId, url, request: { method: 'POST', headers: new Headers() } }, caller)
      finish(capture, 'of a member')
      await bodies.flush()
      return requestId
    }
    places = new Set([`team_1.${ann.id}`, `team_1.${bob.id}`])
    const [hers, his] = [await ofMember(ann.id), await ofMember(bob.id)]
    expect(await textOf(ann, hers)).toEqual(['client-request: of a member', 'client-answer: answer to of a member'])
    expect([await code(bodies.read(ann, his)), await code(bodies.remove(ann, his))]).toEqual(['not_found', 'not_found'])
    expect(
      (
        await Array.fromAsync(
          bodies.lines(
            ann,
            [hers, his].map((requestId) => ({ requestId, head: '{"a":1}' })),
          ),
        )
      ).length,
    ).toBe(1)
    expect(await textOf(chief, his)).toHaveLength(2)
    places = new Set()
    expect([await code(bodies.read(ann, hers)), await code(bodies.remove(ann, hers))]).toEqual(['not_found', 'not_found'])
    places = new Set([`team_1.${ann.id}`])
    await bodies.remove(ann, hers)
    expect(await bodies.keptAmong([hers, his])).toEqual(new Set([his]))
    // Nothing stays of a removed user or team, and nothing more is kept of them.
    const another = await ofMember(ann.id)
    expect(await bodies.removeAll(chief, { userId: bob.id })).toBe(1)
    expect(await bodies.keptAmong([another, his])).toEqual(new Set([another]))
    await deleteTeam(base.store, team.id)
    expect(await bodies.keptAmong([another, await ofMember(ann.id)])).toEqual(new Set())
  })
})
