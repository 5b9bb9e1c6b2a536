/**
 * The passwords of parley.yaml against those that are set. Checking one takes as long as a sign-in, on purpose, and a file may name
 * hundreds at every start. So of many users together one more hash is kept, of all their passwords and of the hashes that are set:
 * when it fits, nothing has changed. A guess at it is as dear as one at a single password, and has to guess all of them.
 */
import { hashPassword, sha256Hex, verifyPassword } from '#runtime/secrets'
import { readSetting, writeSetting } from '#store/accounts/settings'
import type { Store } from '#store/engine/store'

export interface GivenPassword {
  userId: string
  password: string
  /** What is stored now. */
  hash: string | null
}

export interface ComparedPasswords {
  /** By user: the hashes to be stored, of those whose password is new. */
  fresh: ReadonlyMap<string, string>
  /** To be called when they are stored: makes the next comparison quick. */
  keep(): Promise<void>
}

interface Lot {
  userIds: string[]
  proof: string
}

const setting = 'declaredPasswords'
/** When one of them changes, so many are checked one by one. */
const perLot = 32
/** As many as the runtime hashes side by side. */
const atOnce = 4

/** `given`: everybody who has a password in the file. */
export async function comparePasswords(store: Store, given: readonly GivenPassword[]): Promise<ComparedPasswords> {
  const byUser = new Map(given.map((one) => [one.userId, one]))
  // Only this file writes it.
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
    // A server ends a transaction that asks nothing for half a minute, and hundreds of hashes take longer.
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
