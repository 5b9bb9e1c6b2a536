/** What is lost while a message is written. */
import type { Loss, LossList } from '#canonical/loss'

/** An empty list. */
export function lossList(): LossList {
  const losses: Loss[] = []
  const add = (field: string, what: Loss['what'], reason: string, meaning: boolean) => {
    if (!losses.some((loss) => loss.field === field && loss.what === what)) losses.push({ field, what, reason, meaning })
  }
  return {
    losses,
    adapted: (field, reason) => add(field, 'adapted', reason, false),
    altered: (field, reason) => add(field, 'adapted', reason, true),
    dropped: (field, reason) => add(field, 'dropped', reason, true),
    forgotten: (field, reason) => add(field, 'dropped', reason, false),
  }
}
