/** Fallback models as lines of text, `model: first, second`, and back. */
import type { ApiError } from '#client/api/http.ts'
import type { Fallback } from '#shared/console/settings'
import { errorAt } from './explain.ts'

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

/** The lists of the lines, and the causes with a line that is not `model: first, second`. */
export function fallbacksOf(lines: FallbackLines): { found: Record<string, Fallback>; wrong: Cause[] } {
  const found: Record<string, Fallback> = {}
  const wrong = new Set<Cause>()
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
      if (model === undefined || models.length === 0) wrong.add(cause)
      else found[model.trim()] = { ...found[model.trim()], [cause]: models }
    }
  }
  return { found, wrong: [...wrong] }
}

/** The failure at the lines of this cause; what names none stands at the first. */
export function errorAtCause(error: ApiError | undefined, cause: Cause): string | undefined {
  const [, named = causes[0]] = /\.(error|context|filter)(?:\.\d+)?$/.exec(error?.param ?? '') ?? []
  return named === cause ? errorAt(error, 'fallbacks') : undefined
}
