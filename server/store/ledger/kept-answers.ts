/** Which batch requests have stored answers, and which videos and interactions stored ends: after a crash only those are charged. */
import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import { batchLines } from '#db/batches'
import { interactions, videos } from '#db/upstream-work'
import type { Store } from '#store/engine/store'

/** A request of a batch, or one that started a video or an interaction, whose id is then `batch`. */
export interface BatchRequest {
  id: string
  batch: string
}

/** The ids of those whose answer is in their batch, and of those whose work has ended. */
export async function keptAnswers({ db }: Pick<Store, 'db'>, requests: readonly BatchRequest[]): Promise<ReadonlySet<string>> {
  if (requests.length === 0) return new Set()
  const ids = requests.map(({ id }) => id)
  const names = [...new Set(requests.map(({ batch }) => batch))]
  const found = await db
    .select({ id: batchLines.requestId })
    .from(batchLines)
    .where(and(inArray(batchLines.batch, names), inArray(batchLines.requestId, ids), eq(batchLines.state, 'succeeded')))
  const made = await db
    .select({ id: videos.requestId })
    .from(videos)
    .where(and(inArray(videos.id, names), inArray(videos.requestId, ids), eq(videos.state, 'completed'), isNotNull(videos.endedAt)))
  // Cancelled work is charged, too; failed work is not.
  const answered = await db
    .select({ id: interactions.requestId })
    .from(interactions)
    .where(and(inArray(interactions.id, names), inArray(interactions.requestId, ids), isNotNull(interactions.endedAt)))
  return new Set([...found, ...made, ...answered].flatMap(({ id }) => id ?? []))
}
