import { afterAll, beforeAll, expect, test } from 'bun:test'
import { verifyPassword } from '#runtime/secrets'
import type { Store } from '#store/engine/store'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { countStatements } from '#testing/database/statements'
import { dumpTables } from '#testing/database/tables'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { comparePasswords, type GivenPassword } from './declared-passwords.ts'

let base: Throwaway
let store: Store
let hashes = 0
let undo: (() => void) | undefined
beforeAll(async () => {
  const makeDear = makePasswordsCheap()
  const { hash, verify } = Bun.password
  Bun.password.hash = (...given) => {
    hashes += 1
    return hash(...given)
  }
  Bun.password.verify = (...given) => {
    hashes += 1
    return verify(...given)
  }
  undo = () => {
    Bun.password.verify = verify
    makeDear()
  }
  base = await throwawayDatabase(sampledEngine(import.meta.file))
  store = base.store
}, 60_000)
afterAll(async () => {
  undo?.()
  await base?.close()
})

/** Compares, stores what is new, and answers whose that was. */
async function apply(given: GivenPassword[]): Promise<string[]> {
  const { fresh, keep } = await comparePasswords(store, given)
  for (const one of given) one.hash = fresh.get(one.userId) ?? one.hash
  await keep()
  return [...fresh.keys()].sort()
}

/** What the work answers, and how many passwords it hashed or verified: each takes 45 ms of CPU time in earnest. */
async function counted<T>(work: () => Promise<T>): Promise<[T, number]> {
  const before = hashes
  return [await work(), hashes - before]
}

test('what is unchanged is known without checking each, and every change is found', async () => {
  const given = Array.from({ length: 42 }, (_, n): GivenPassword => ({ userId: `u${n}`, password: `secret horse ${n}`, hash: null }))
  const one = (n: number) => given[n] ?? { userId: '', password: '', hash: null }
  const statements = countStatements(store)
  const [made, many] = await counted(() => apply(given))
  expect(made).toHaveLength(42)
  expect(many).toBeGreaterThanOrEqual(42)
  // The transaction is not taken for dead meanwhile.
  expect(statements.sent()).toBeGreaterThan(3)
  statements.stop()
  expect(await verifyPassword('secret horse 41', one(41).hash ?? '')).toBe(true)
  const kept = await dumpTables(store, ['settings'])
  expect(kept).not.toContain('horse')

  const [none, few] = await counted(() => apply(given))
  expect(none).toEqual([])
  expect(few).toBe(2)
  expect(await dumpTables(store, ['settings'])).toBe(kept)

  one(40).password = 'another horse'
  expect(await apply(given)).toEqual(['u40'])
  // It was changed meanwhile: the file wins.
  one(3).hash = one(5).hash
  expect(await apply(given)).toEqual(['u3'])
  one(41).hash = null
  expect(await apply(given)).toEqual(['u41'])
  const [first, ...others] = given
  expect(await apply([...others.reverse(), { userId: 'new', password: 'a new horse', hash: null }])).toEqual(['new'])
  expect(await apply(others)).toEqual([])
  expect(await apply(first ? [first, ...others] : [])).toEqual([])
  const [changed, again] = await counted(() => apply(given))
  expect(changed).toEqual([])
  expect(again).toBeLessThan(many / 3)
  expect(await apply([])).toEqual([])
  expect(await dumpTables(store, ['settings'])).not.toContain('u1')
}, 60_000)
