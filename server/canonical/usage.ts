/**
 * The usage of a request, in the form that prices apply to. Kinds do not overlap: `in.fresh` excludes cache reads, cache writes,
 * audio and image tokens; `out.total` includes reasoning, audio and image tokens, which are parts of it.
 */
import type { UsageRow } from '#shared/console/log'

/** The usage of a request. */
export type Usage = UsageRow

/** Zero usage, marked as estimated. */
export function noUsage(): Usage {
  return {
    in: { fresh: 0, cacheRead: 0, cacheWrite: { '5m': 0, '1h': 0, other: 0 }, audio: 0, image: 0 },
    out: { total: 0, reasoning: 0, audio: 0, image: 0 },
    units: { requests: 1, images: 0, seconds: 0, characters: 0, searches: 0 },
    provenance: 'estimated',
    raw: null,
  }
}

/** Input tokens of every kind. */
export function promptOf({ in: { fresh, cacheRead, cacheWrite, audio, image } }: Pick<Usage, 'in'>): number {
  return fresh + cacheRead + cacheWrite['5m'] + cacheWrite['1h'] + cacheWrite.other + audio + image
}

/** All tokens, input and output. */
export const tokensIn = (usage: Usage): number => promptOf(usage) + usage.out.total
