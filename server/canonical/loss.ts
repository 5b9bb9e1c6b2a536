/** What a conversion could not carry over as it was. */
import type { LossRow } from '#shared/console/log'

/**
 * `field` is the canonical name that operators and clients see (`sampling.seed`, `tools.code_interpreter`); `adapted` = the
 * information changed its form, `dropped` = it is gone. `meaning` marks a loss that strict mode refuses.
 */
export interface Loss extends LossRow {
  meaning: boolean
}

/** Collects losses while a message is written; the same field and kind is recorded once. */
export interface LossList {
  readonly losses: readonly Loss[]
  adapted(field: string, reason: string): void
  /** There in another form, and the answer may differ because of it. */
  altered(field: string, reason: string): void
  /** Gone, and the answer may differ because of it. */
  dropped(field: string, reason: string): void
  /** Gone, and nobody will miss it: a hint, a label. */
  forgotten(field: string, reason: string): void
}

/** The name of a hosted tool's loss. What a caller made up is not repeated: only plain words are. */
export const hostedTool = (name: string): string => (/^[a-z]\w{0,63}$/i.test(name) ? `tools.${name}` : 'tools')

/** Several lists as one, in their order; the same field and kind stands in it once. */
export function joinLosses(...lists: readonly (readonly Loss[] | undefined)[]): readonly Loss[] {
  const joined = new Map<string, Loss>()
  for (const loss of lists.flatMap((list) => list ?? [])) {
    const key = `${loss.field}:${loss.what}`
    if (!joined.has(key)) joined.set(key, loss)
  }
  return [...joined.values()]
}

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
