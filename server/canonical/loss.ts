/** What a conversion could not preserve. */
import type { LossRow } from '#shared/console/log'

/**
 * `field` is the canonical name shown to operators and clients (`sampling.seed`, `tools.code_interpreter`); `adapted` = its form
 * changed, `dropped` = it is missing. `meaning` marks a loss that strict mode rejects.
 */
export interface Loss extends LossRow {
  meaning: boolean
}

/** Collects losses while a message is written; the same field and kind is recorded once. */
export interface LossList {
  readonly losses: readonly Loss[]
  adapted(field: string, reason: string): void
  /** Adapted, and the answer may differ because of it. */
  altered(field: string, reason: string): void
  /** Dropped, and the answer may differ because of it. */
  dropped(field: string, reason: string): void
  /** Dropped without consequences: a hint, a label. */
  leftOut(field: string, reason: string): void
}

/** The field name for the loss of a hosted tool. Unusual names of callers are not repeated. */
export const hostedTool = (name: string): string => (/^[a-z]\w{0,63}$/i.test(name) ? `tools.${name}` : 'tools')

/**
 * True, with a loss, for a web search that must not fetch anything live: only its own dialect supports that, and a live search would reveal
 * to others what the caller wants to keep private.
 */
export function leavesOutSearch({ live }: { readonly live?: boolean }, losses: LossList): boolean {
  if (live !== false) return false
  losses.dropped('tools.web-search.live', 'This upstream only searches live, which the request forbids: the search is left out.')
  return true
}

const none: readonly Loss[] = []

/** Concatenates lists; the same field and kind is kept once. */
export function joinLosses(...lists: readonly (readonly Loss[] | undefined)[]): readonly Loss[] {
  if (!lists.some((list) => list && list.length > 0)) return none
  const joined = new Map<string, Loss>()
  for (const loss of lists.flatMap((list) => list ?? [])) {
    const key = `${loss.field}:${loss.what}`
    if (!joined.has(key)) joined.set(key, loss)
  }
  return [...joined.values()]
}
