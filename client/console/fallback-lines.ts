/** Fallback models as lines of text, `model: first, second`, and back. */
import type { ApiError } from '#client/api/http.ts'
import type { Fallback } from '#shared/console/settings'
import { errorAt } from './explain.ts'

/** Causes for trying a fallback. */
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

/** The fallbacks in the lines, and the causes with a malformed line (not `model: first, second`). */
export function fallbacksOf(lines: FallbackLines): { found: Record<string, Fallback>; wrong: Cause[] } {
  const found: Record<string, Fallback> = {}
  const wrong = new Set<Cause>()
  for (const cause of causes) {
    for (const line of lines[cause]
      .split('\n')
      .map((text) => text.trim())
      .filter(Boolean)) {
      // A model name may contain colons: the last one before the list counts.
      const [, model, list] = /^(.+):\s+(.+)$/.exec(line) ?? []
      const models =
        list
          ?.split(',')
          .map((name) => name.trim())
          .filter(Boolean) ?? []
      if (model === undefined || models.length === 0) wrong.add(cause)
      else found[model.trim()] = { ...found[model.trim()], [cause]: models }
    }
  }
  return { found, wrong: [...wrong] }
}

/** The failure for the lines of this cause; one that names no cause belongs to the first. */
export function errorAtCause(error: ApiError | undefined, cause: Cause): string | undefined {
  const [, named = causes[0]] = /\.(error|context|filter)(?:\.\d+)?$/.exec(error?.param ?? '') ?? []
  return named === cause ? errorAt(error, 'fallbacks') : undefined
}
