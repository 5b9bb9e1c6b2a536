/** Fallback models as lines of text, `model: first, second`, and back. */
import type { Fallback } from '#shared/console/settings'

/** Why a fallback is tried. */
export const causes = ['error', 'context', 'filter'] as const
/** A cause. */
export type Cause = (typeof causes)[number]
/** The lines of each cause. */
export type FallbackLines = Record<Cause, string>

/** The lists of these models as lines. */
export function linesOf(fallbacks: Record<string, Fallback>): FallbackLines {
  const lines = (cause: Cause) =>
    Object.entries(fallbacks)
      .flatMap(([model, lists]) => (lists[cause] ? [`${model}: ${lists[cause].join(', ')}`] : []))
      .join('\n')
  return { error: lines('error'), context: lines('context'), filter: lines('filter') }
}

/** The lists of the lines; undefined where a line is not `model: first, second`. */
export function fallbacksOf(lines: FallbackLines): Record<string, Fallback> | undefined {
  const found: Record<string, Fallback> = {}
  for (const cause of causes) {
    for (const line of lines[cause]
      .split('\n')
      .map((text) => text.trim())
      .filter(Boolean)) {
      // The name of a model may have a colon: the last one before the list counts.
      const [, model, list] = /^(.+):\s+(.+)$/.exec(line) ?? []
      const models =
        list
          ?.split(',')
          .map((name) => name.trim())
          .filter(Boolean) ?? []
      if (model === undefined || models.length === 0) return undefined
      found[model.trim()] = { ...found[model.trim()], [cause]: models }
    }
  }
  return found
}
