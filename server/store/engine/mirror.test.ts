import { expect, test } from 'bun:test'
import { type Mirror, mirror } from './mirror.ts'
import type { Store } from './store.ts'

type Row = { id: string; version: number }
type Refresh = (id: string | undefined) => Promise<void>

/** A table whose answers come when the test says so. */
async function table(rows: Row[]) {
  let refresh: Refresh = () => Promise.reject(new Error('nobody subscribed'))
  const waiting: (() => void)[] = []
  const changed: [string, Row | undefined, Row | undefined][] = []
  let broken = false
  let slow = false
  async function answer<T>(value: () => T): Promise<T> {
    const seen = structuredClone(value())
    if (broken) throw new Error('gone')
    if (slow) await new Promise<void>((resolve) => waiting.push(resolve))
    return seen
  }
  const changes = {
    publish: (_table: string, id: string) => refresh(id),
    subscribe: (_table: string, listener: Refresh) => {
      refresh = listener
    },
  }
  const kept: Mirror<Row> = await mirror<Row>({ changes } as unknown as Store, {
    table: 'users',
    id: (row) => row.id,
    loadAll: () => answer(() => rows),
    load: (id) => answer(() => rows.find((row) => row.id === id)),
    onChange: (...change) => changed.push(change),
  })
  return {
    kept,
    changed,
    refresh: (id?: string) => refresh(id),
    setSlow: (value: boolean) => {
      slow = value
    },
    setBroken: (value: boolean) => {
      broken = value
    },
    letGo: async () => {
      for (let i = 0; i < 5; i++) {
        for (const resolve of waiting.splice(0)) resolve()
        await Bun.sleep(0)
      }
    },
  }
}

test('a refresh brings, changes and removes rows, and tells of each', async () => {
  const rows: Row[] = [
    { id: 'a', version: 1 },
    { id: 'b', version: 1 },
  ]
  const { kept, refresh, changed } = await table(rows)
  expect([...kept.all()]).toEqual(rows)
  changed.length = 0

  rows.splice(0, 1, { id: 'a', version: 2 })
  await refresh('a')
  expect(kept.get('a')?.version).toBe(2)

  rows.splice(0, 2, { id: 'c', version: 1 })
  await refresh()
  expect([...kept.all()]).toEqual([{ id: 'c', version: 1 }])
  expect(changed).toEqual([
    ['a', { id: 'a', version: 2 }, { id: 'a', version: 1 }],
    ['a', undefined, { id: 'a', version: 2 }],
    ['b', undefined, { id: 'b', version: 1 }],
    ['c', { id: 'c', version: 1 }, undefined],
  ])
})

test('a slow answer to an older question never replaces a newer one', async () => {
  const rows: Row[] = [{ id: 'a', version: 1 }]
  const { kept, refresh, setSlow, letGo } = await table(rows)
  setSlow(true)
  const everything = refresh()
  await Bun.sleep(0)
  rows[0] = { id: 'a', version: 2 }
  const one = refresh('a')
  await letGo()
  await Promise.all([everything, one])
  expect(kept.get('a')?.version).toBe(2)
})

test('a refresh that fails keeps what was known, and the next one works', async () => {
  const rows: Row[] = [{ id: 'a', version: 1 }]
  const { kept, refresh, setBroken } = await table(rows)
  rows[0] = { id: 'a', version: 2 }
  setBroken(true)
  expect((await Promise.allSettled([refresh(), refresh('a')])).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(kept.get('a')?.version).toBe(1)
  setBroken(false)
  await refresh('a')
  expect(kept.get('a')?.version).toBe(2)
})
