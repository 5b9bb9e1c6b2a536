/** Which requests of batches have their answers written down, and which videos are: only those are charged when a crash came before their end. */
import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import { batchLines } from '#db/batches'
import { videos } from '#db/videos'
import type { Store } from '#store/engine/store'

/** A request of a batch, or the one that asked for a video, whose id then stands as `batch`. */
export interface BatchRequest {
  id: string
  batch: string
}

/** The ids of those whose answer is in their batch, and of those whose video is there. */
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
  return new Set([...found, ...made].flatMap(({ id }) => id ?? []))
}
