import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Opaque } from '#canonical/conversation'
import { sealer } from '#runtime/secrets'
import type { Store } from '#store/engine/store'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { dumpTables, runSql } from '#testing/database/tables'
import { type HandClock, handClock } from '#testing/hand-clock'
import { type Bounds, createMemory } from './remembered-text.ts'

const seal = sealer('ab'.repeat(32))
const minutes = 60_000
const nothing = ''
const holding = (value: string): string => {
  const opaque: Opaque = { dialect: 'gemini', kind: 'thought-signature', value }
  return JSON.stringify({ state: [opaque], leading: [], direct: [] })
}
const ids = (count: number, prefix = 'call') => Array.from({ length: count }, (_, n) => `${prefix}-${n}`)

const ofTenant = { entries: 1_000, characters: 1_000_000 }
const plenty: Bounds = { entries: 1_000, characters: 1_000_000, charactersEach: 1_000, ofTenant }

describe.each(sampledEngines(import.meta.file))('memory on %s', (engine) => {
  let base: Throwaway
  let clock: HandClock
  let lines: string[] = []
  /** How often the database was accessed, and whether it is available. */
  let reached = 0
  let away = false
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())
  beforeEach(async () => {
    await runSql(base.store, 'truncate recollections')
    clock = handClock()
    lines = []
    reached = 0
    away = false
  })

  function memory(bounds?: Bounds, found?: Promise<unknown>) {
    const { engine, changes, signals, alive, close } = base.store
    const store: Store = {
      engine,
      changes,
      signals,
      alive,
      close,
      get db() {
        reached += 1
        if (away) throw new Error('no database')
        if (found) return { select: () => ({ from: () => ({ where: () => found }) }) } as unknown as Store['db']
        return base.store.db
      },
    }
    const note = (_: object, message: string) => void lines.push(message)
    return createMemory({ store, sealer: seal, clock, log: { debug: note, info: note, warn: note, error: note } }, bounds)
  }
  const rows = async () => (await dumpTables(base.store, ['recollections'])).match(/"tenant"/g)?.length ?? 0

  test('asks the database for nothing that it knows, even that there is nothing', async () => {
    const here = memory()
    here.remember(
      'anna',
      new Map([
        ['a', holding('1')],
        ['b', nothing],
      ]),
    )
    expect(await here.recall('anna', ['a', 'b', 'a'])).toEqual(new Map([['a', holding('1')]]))
    expect(await here.recall('anna', [])).toEqual(new Map())
    expect(reached).toBe(0)
  })

  test('asks once for what it does not know, and believes for a minute that there is nothing', async () => {
    const here = memory()
    const there = memory()
    expect((await here.recall('anna', ['a', 'b'])).size).toBe(0)
    expect((await here.recall('anna', ['b', 'a'])).size).toBe(0)
    expect(reached).toBe(1)
    there.remember('anna', new Map([['a', holding('1')]]))
    await there.flush()
    await clock.advance(minutes)
    expect(await here.recall('anna', ['a'])).toEqual(new Map([['a', holding('1')]]))
    const before = reached
    expect((await here.recall('anna', ['a'])).size).toBe(1)
    expect(reached).toBe(before)
  })

  test('writes each once, the latest, in batches', async () => {
    const here = memory()
    here.remember('anna', new Map(ids(450).map((id) => [id, holding(id)])))
    here.remember('anna', new Map([['call-0', holding('newer')]]))
    here.remember(
      'berta',
      new Map([
        ['call-0', holding('of berta')],
        ['call-1', nothing],
      ]),
    )
    await here.flush()
    expect(reached).toBe(3)
    expect(await rows()).toBe(451)
    await here.flush()
    expect(reached).toBe(3)
    expect(await memory().recall('anna', ['call-0', 'call-449'])).toEqual(
      new Map([
        ['call-0', holding('newer')],
        ['call-449', holding('call-449')],
      ]),
    )
    expect(await memory().recall('berta', ['call-0'])).toEqual(new Map([['call-0', holding('of berta')]]))
  })

  test('keeps what could not be written, and what came meanwhile', async () => {
    const here = memory()
    here.remember('anna', new Map([['a', holding('1')]]))
    away = true
    await expect(here.flush()).rejects.toThrow('no database')
    here.remember('anna', new Map([['b', holding('2')]]))
    away = false
    await here.flush()
    expect((await memory().recall('anna', ['a', 'b'])).size).toBe(2)
  })

  test('without the database it answers what it knows, and says so in the log', async () => {
    const here = memory()
    here.remember('anna', new Map([['a', holding('1')]]))
    away = true
    expect(await here.recall('anna', ['a', 'b'])).toEqual(new Map([['a', holding('1')]]))
    expect(lines).toHaveLength(1)
    away = false
    const there = memory()
    there.remember('anna', new Map([['b', holding('2')]]))
    await there.flush()
    expect((await here.recall('anna', ['b'])).size).toBe(1)
  })

  test('a database that does not answer holds a request up for two seconds', async () => {
    const here = memory(undefined, new Promise<never>(() => undefined))
    let answered = false
    const asked = here.recall('anna', ['a']).then((found) => {
      answered = true
      return found
    })
    await clock.advance(1_999)
    expect(answered).toBe(false)
    await clock.advance(1)
    expect((await asked).size).toBe(0)
    expect(clock.pending()).toBe(0)
  })

  test('what is remembered while the database is asked is newer than its answer', async () => {
    const rowsFound = Promise.withResolvers<unknown>()
    const here = memory(undefined, rowsFound.promise)
    const asked = here.recall('anna', ['a'])
    here.remember('anna', new Map([['a', holding('now')]]))
    rowsFound.resolve([])
    expect(await asked).toEqual(new Map([['a', holding('now')]]))
    expect(await here.recall('anna', ['a'])).toEqual(new Map([['a', holding('now')]]))
  })

  test('forgets the least recently used when it is full, and finds it again in the database', async () => {
    const here = memory({ entries: 3, characters: 1_000_000, charactersEach: 1_000, ofTenant })
    here.remember('anna', new Map(ids(3).map((id) => [id, holding(id)])))
    await here.flush()
    await here.recall('anna', ['call-0'])
    here.remember('anna', new Map([['more', holding('more')]]))
    const before = reached
    expect((await here.recall('anna', ['call-0', 'call-2', 'more'])).size).toBe(3)
    expect(reached).toBe(before)
    expect((await here.recall('anna', ['call-1'])).size).toBe(1)
    expect(reached).toBe(before + 1)
    expect(lines).toEqual([])
  })

  test('never holds more than it may; what is lost so is counted', async () => {
    const here = memory({ entries: 1_000, characters: 5_000, charactersEach: 1_000, ofTenant })
    here.remember('anna', new Map(ids(100).map((id) => [id, holding('x'.repeat(500))])))
    here.remember('anna', new Map([['huge', holding('x'.repeat(1_000))]]))
    expect(lines).toHaveLength(1)
    away = true
    const kept = (await here.recall('anna', ids(100))).size
    expect(kept).toBeGreaterThan(5)
    expect(kept).toBeLessThan(10)
    away = false
    await here.flush()
    expect(await rows()).toBe(kept)
    expect(lines.filter((line) => line.includes('memory is full'))).toHaveLength(1)
  })

  test('takes from a user what fits into an hour, and logs what it does not take', async () => {
    for (const share of [
      { entries: 3, characters: 1_000 },
      { entries: 1_000, characters: 30 },
    ]) {
      lines = []
      const here = memory({ ...plenty, ofTenant: share })
      here.remember('anna', new Map(ids(5).map((id) => [id, 'x'.repeat(10)])))
      here.remember('berta', new Map([['call-0', 'of berta']]))
      expect([...(await here.recall('anna', ids(5))).keys()]).toEqual(ids(3))
      expect((await here.recall('berta', ['call-0'])).size).toBe(1)
      expect(lines).toEqual(['a user exceeded the hourly limit for remembered tool call state'])
      await clock.advance(61 * minutes)
      here.remember('anna', new Map([['later', 'x']]))
      expect((await here.recall('anna', ['later'])).size).toBe(1)
    }
  })

  test('of very many calls only the last are looked for', async () => {
    const here = memory()
    here.remember('anna', new Map(ids(1_100).map((id) => [id, holding(id)])))
    const found = await here.recall('anna', ids(1_100))
    expect([...found.keys()]).toEqual(ids(1_100).slice(100))
  })

  test('sweeping drops what has expired, and it is not written any more', async () => {
    const here = memory()
    here.remember('anna', new Map([['old', holding('1')]]))
    await clock.advance(30 * minutes)
    here.remember('anna', new Map([['new', holding('2')]]))
    await clock.advance(30 * minutes)
    here.sweep()
    await here.flush()
    expect(await rows()).toBe(1)
    expect((await memory().recall('anna', ['old', 'new'])).size).toBe(1)
  })

  test('a row that was changed or moved to another tenant or call is as good as none', async () => {
    const here = memory()
    here.remember(
      'anna',
      new Map([
        ['a', holding('1')],
        ['b', holding('2')],
        ['c', holding('3')],
      ]),
    )
    await here.flush()
    const [a = '', b = ''] = ['a', 'b'].map((id) => new Bun.CryptoHasher('sha256').update(id).digest('hex'))
    await runSql(base.store, `insert into recollections select 'berta', key, sealed, expires_at from recollections`)
    await runSql(
      base.store,
      `update recollections set sealed = (select sealed from recollections where key = '${b}' and tenant = 'anna') where key = '${a}'`,
    )
    expect((await memory().recall('berta', ['a', 'b', 'c'])).size).toBe(0)
    expect([...(await memory().recall('anna', ['a', 'b', 'c'])).keys()]).toEqual(['b', 'c'])
  })

  test('ids of any form are only names', async () => {
    const strange = ['', 'call\u0000id', 'x'.repeat(20_000), "'; drop table recollections; --", '__proto__', '日本']
    const here = memory()
    here.remember('anna', new Map(strange.map((id) => [id, holding(id)])))
    await here.flush()
    const found = await memory().recall('anna', strange)
    for (const id of strange) expect(found.get(id)).toEqual(holding(id))
  })
})
