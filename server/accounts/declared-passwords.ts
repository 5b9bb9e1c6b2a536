/**
 * Compares the passwords in parley.yaml with the stored hashes. Verifying one is as slow as a sign-in, on purpose, and a file may
 * have hundreds, at every start. So for each batch of users one more hash is stored, over all their passwords and stored hashes: when
 * it matches, nothing has changed. Guessing it costs as much as guessing a single password, and requires guessing all of them.
 */
import { hashPassword, sha256Hex, verifyPassword } from '#runtime/secrets'
import { readSetting, writeSetting } from '#store/accounts/settings'
import type { Store } from '#store/engine/store'

/** One password of the file and the hash it is compared with. */
export interface GivenPassword {
  userId: string
  password: string
  /** The stored hash. */
  hash: string | null
}

/** The result of a comparison. */
export interface ComparedPasswords {
  /** User id to the new hash, for users whose password has changed. */
  fresh: ReadonlyMap<string, string>
  /** Call this after the new hashes are stored; it makes the next comparison fast. */
  keep(): Promise<void>
}

interface Lot {
  userIds: string[]
  proof: string
}

const setting = 'declaredPasswords'
/** Users per batch: when one password changes, the whole batch is verified one by one. */
const perLot = 32
/** Hashes in parallel; as many as the runtime computes at once. */
const atOnce = 4

/** Compares the passwords of all users who have one in the file with the stored hashes. */
export async function comparePasswords(store: Store, given: readonly GivenPassword[]): Promise<ComparedPasswords> {
  const byUser = new Map(given.map((one) => [one.userId, one]))
  // Only this module writes this setting.
  const stored = ((await readSetting(store, setting)) ?? []) as Lot[]
  const unchanged = await where(stored, async ({ userIds, proof }) => {
    const all = userIds.flatMap((id) => byUser.get(id) ?? [])
    return all.length === userIds.length && verifyPassword(wordOf(all), proof)
  })
  const proven = new Set(unchanged.flatMap(({ userIds }) => userIds))
  const unproven = given.filter(({ userId }) => !proven.has(userId))
  const fresh = new Map<string, string>()
  for (const lot of lotsOf(unproven)) {
    await fewAtOnce(lot, async ({ userId, password, hash }) => {
      if (hash === null || !(await verifyPassword(password, hash))) fresh.set(userId, await hashPassword(password))
    })
    // The database ends a transaction that is idle for 30 seconds, and hundreds of hashes take longer: this query keeps it alive.
    await readSetting(store, setting)
  }

  return {
    fresh,
    async keep() {
      if (unproven.length === 0 && unchanged.length === stored.length) return
      const lots = [...unchanged]
      await fewAtOnce(lotsOf(unproven), async (lot) => {
        const word = wordOf(lot.map((one) => ({ ...one, hash: fresh.get(one.userId) ?? one.hash })))
        lots.push({ userIds: lot.map(({ userId }) => userId), proof: await hashPassword(word) })
      })
      await writeSetting(store, setting, lots)
    },
  }
}

const wordOf = (all: readonly GivenPassword[]): string =>
  sha256Hex(JSON.stringify(all.map(({ userId, hash, password }) => [userId, hash, password])))

function lotsOf(given: readonly GivenPassword[]): GivenPassword[][] {
  return Array.from({ length: Math.ceil(given.length / perLot) }, (_, n) => given.slice(n * perLot, (n + 1) * perLot))
}

async function where<One>(all: readonly One[], holds: (one: One) => Promise<boolean>): Promise<One[]> {
  const found: One[] = []
  await fewAtOnce(all, async (one) => {
    if (await holds(one)) found.push(one)
  })
  return found
}

async function fewAtOnce<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  const rest = all.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const one of rest) await work(one)
    }),
  )
}
