/**
 * Facts about well-known models, by pattern of their name, read by codecs, metering and routing. Only what the sources named in each
 * file state; absent = the usual behaviour of current models. ARCHITECTURE.md lists the names of the facts.
 */
import type { Capabilities } from '#shared/capabilities'

/** Facts of the models whose name matches. */
export type FactRow = readonly [pattern: RegExp, facts: Capabilities]

/** The facts of the first matching row; empty for an unlisted model. */
export function factsOf(rows: readonly FactRow[], model: string): Capabilities {
  return rows.find(([pattern]) => pattern.test(model))?.[1] ?? {}
}
