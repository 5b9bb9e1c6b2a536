/**
 * Facts about well-known models, by pattern of their name: data that codecs, metering and routing read. Only what the pages
 * named in each file state; absent = the usual behaviour of current models. The names of the facts stand in ARCHITECTURE.md.
 */
import type { Capabilities } from '#shared/capabilities'

export type FactRow = readonly [pattern: RegExp, facts: Capabilities]

/** The facts of the first row whose pattern fits; none for a model that nobody wrote down. */
export function factsOf(rows: readonly FactRow[], model: string): Capabilities {
  return rows.find(([pattern]) => pattern.test(model))?.[1] ?? {}
}
