import { afterAll, beforeAll, expect, test } from 'bun:test'
import { verifyPassword } from '#runtime/secrets'
import type { Store } from '#store/engine/store'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { countStatements } from '#testing/database/statements'
import { dumpTables } from '#testing/database/tables'
import { comparePasswords, type GivenPassword } from './declared-passwords.ts'

let base: Throwaway
let store: Store
beforeAll(async () => {
  base = await throwawayDatabase(sampledEngine(import.meta.file))
  store = base.store
}, 60_000)
afterAll(() => base.close())

/** Compares, stores what is new, and answers whose that was. */
async function apply(given: GivenPassword[]): Promise<string[]> {
  const { fresh, keep } = await comparePasswords(store, given)
  for (const one of given) one.hash = fresh.get(one.userId) ?? one.hash
  await keep()
  return [...fresh.keys()].sort()
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now()
  return [await work(), performance.now() - begun]
}

test('what is unchanged is known without checking each, and every change is found', async () => {
  const given = Array.from({ length: 42 }, (_, n): GivenPassword => ({ userId: `u${n}`, password: `secret horse ${n}`, hash: null }))
  const one = (n: number) => given[n] ?? { userId: '', password: '', hash: null }
  const statements = countStatements(store)
  const [made, slow] = await timed(() => apply(given))
  expect(made).toHaveLength(42)
  // Nobody takes the transaction for dead meanwhile.
  expect(statements.sent()).toBeGreaterThan(3)
  statements.stop()
  expect(await verifyPassword('secret horse 41', one(41).hash ?? '')).toBe(true)
  const kept = await dumpTables(store, ['settings'])
  expect(kept).not.toContain('horse')

  const [none, quick] = await timed(() => apply(given))
  expect(none).toEqual([])
  // Three hashes in the place of forty-two.
  expect(quick).toBeLessThan(slow / 3)
  expect(await dumpTables(store, ['settings'])).toBe(kept)

  one(40).password = 'another horse'
  expect(await apply(given)).toEqual(['u40'])
  // Somebody else set it meanwhile: what the file says holds.
  one(3).hash = one(5).hash
  expect(await apply(given)).toEqual(['u3'])
  one(41).hash = null
  expect(await apply(given)).toEqual(['u41'])
  const [first, ...others] = given
  expect(await apply([...others.reverse(), { userId: 'new', password: 'a new horse', hash: null }])).toEqual(['new'])
  expect(await apply(others)).toEqual([])
  expect(await apply(first ? [first, ...others] : [])).toEqual([])
  expect(await timed(() => apply(given)).then(([changed, ms]) => [changed, ms < slow / 3])).toEqual([[], true])
  expect(await apply([])).toEqual([])
  expect(await dumpTables(store, ['settings'])).not.toContain('u1')
}, 60_000)
