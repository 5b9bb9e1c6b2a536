/** Which requests of batches have their answers written down: only those are charged when a crash came before their end. */
import { and, eq, inArray } from 'drizzle-orm'
import { batchLines } from '#db/batches'
import type { Store } from '#store/engine/store'

/** A request of a batch. */
export interface BatchRequest {
  id: string
  batch: string
}

/** The ids of those whose answer is in their batch. */
export async function keptAnswers({ db }: Pick<Store, 'db'>, requests: readonly BatchRequest[]): Promise<ReadonlySet<string>> {
  if (requests.length === 0) return new Set()
  const ids = requests.map(({ id }) => id)
  const names = [...new Set(requests.map(({ batch }) => batch))]
  const found = await db
    .select({ id: batchLines.requestId })
    .from(batchLines)
    .where(and(inArray(batchLines.batch, names), inArray(batchLines.requestId, ids), eq(batchLines.state, 'succeeded')))
  return new Set(found.flatMap(({ id }) => id ?? []))
}
