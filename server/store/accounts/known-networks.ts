/** Networks from which users have signed in. */
import { and, desc, eq, lt, notInArray } from 'drizzle-orm'
import { knownNetworks } from '#db/accounts'
import type { Store } from '#store/engine/store'

/** A row. */
export type KnownNetwork = typeof knownNetworks.$inferSelect

/** Most per user; the one unused longest is dropped first. */
const perUser = 20

/** Whether the user has signed in from this network. */
export async function isKnownNetwork({ db }: Store, userId: string, network: string): Promise<boolean> {
  const rows = await db
    .select({ at: knownNetworks.at })
    .from(knownNetworks)
    .where(and(eq(knownNetworks.userId, userId), eq(knownNetworks.network, network)))
  return rows.length > 0
}

/** Records a sign-in. */
export async function rememberNetwork({ db }: Store, row: KnownNetwork): Promise<void> {
  const { userId, at } = row
  await db
    .insert(knownNetworks)
    .values(row)
    .onConflictDoUpdate({ target: [knownNetworks.userId, knownNetworks.network], set: { at } })
  const newest = db
    .select({ network: knownNetworks.network })
    .from(knownNetworks)
    .where(eq(knownNetworks.userId, userId))
    .orderBy(desc(knownNetworks.at))
    .limit(perUser)
  await db.delete(knownNetworks).where(and(eq(knownNetworks.userId, userId), notInArray(knownNetworks.network, newest)))
}

/** Deletes those unused since. */
export async function forgetNetworks({ db }: Store, since: Date): Promise<void> {
  await db.delete(knownNetworks).where(lt(knownNetworks.at, since))
}
