/** How two answers differ: by the words of their texts, their tool calls, and why they ended. Pure. */

import { diffLines, diffWordsWithSpace } from 'diff'
import type { DifferencePiece, ReplayAnswer, ReplayDifference, UncomparedReason } from '#shared/console/replay'
import { isRawNumber, parseExact } from '#shared/exact-numbers'

/** Most words added or removed: the work grows with their square, and blocks other requests. */
const mostEdits = 200
/** Most characters of both texts together. */
const mostCharacters = 30_000

/** Number of words in a text. In scripts without spaces each character is one. */
export const wordsIn = (text: string): number =>
  text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}_'’-]+/gu)?.length ?? 0

/** Common and differing pieces of both texts, in order; undefined where they are too long or differ too much. */
export function piecesOf(original: string, replay: string): DifferencePiece[] | undefined {
  if (original === replay) return [{ text: original, in: 'both' }]
  if (areTooLong(original, replay)) return undefined
  return named(diffWordsWithSpace(original, replay, { maxEditLength: mostEdits }))
}

/** Why `piecesOf` has none for these texts. */
export const whyUncompared = (original: string, replay: string): UncomparedReason =>
  areTooLong(original, replay) ? 'too_long' : 'too_different'

const areTooLong = (original: string, replay: string) => original.length + replay.length > mostCharacters

/** The calls of both, one below the other as formatted JSON, by lines. */
export function callPiecesOf(original: ReplayAnswer, replay: ReplayAnswer): DifferencePiece[] | undefined {
  const [before, after] = [callsText(original), callsText(replay)]
  if (areTooLong(before, after)) return undefined
  return named(diffLines(before, after, { maxEditLength: mostEdits }))
}

function named(changes: readonly { value: string; added?: boolean; removed?: boolean }[] | undefined): DifferencePiece[] | undefined {
  return changes?.map(({ value, added, removed }) => ({ text: value, in: added ? 'replay' : removed ? 'original' : 'both' }))
}

const callsText = ({ calls }: ReplayAnswer): string => calls.map(({ name, args }) => `${name} ${formatted(args)}\n`).join('')

function formatted(args: string): string {
  try {
    return JSON.stringify(parseExact(args), undefined, 2)
  } catch {
    return args
  }
}

/** Summary of the difference, for a row. */
export function differenceOf(original: ReplayAnswer, replay: ReplayAnswer): ReplayDifference {
  const isSame = original.text === replay.text
  const alike = isSame ? 100 : alikeOf(piecesOf(original.text, replay.text))
  return {
    text: isSame ? 'same' : 'different',
    ...(alike !== undefined && { alike }),
    calls: callsOf(original.calls, replay.calls),
    finish: original.finish === replay.finish && (original.error === null) === (replay.error === null) ? 'same' : 'different',
  }
}

function alikeOf(pieces: readonly DifferencePiece[] | undefined): number | undefined {
  if (!pieces) return undefined
  const words = { both: 0, original: 0, replay: 0 }
  for (const { text, in: where } of pieces) words[where] += wordsIn(text)
  const all = 2 * words.both + words.original + words.replay
  // Texts that differ are never reported as 100% alike, however little they differ.
  return all === 0 ? 99 : Math.min(99, Math.round((200 * words.both) / all))
}

function callsOf(original: ReplayAnswer['calls'], replay: ReplayAnswer['calls']): ReplayDifference['calls'] {
  const names = (calls: ReplayAnswer['calls']) => calls.map(({ name }) => name).join('\n')
  if (names(original) !== names(replay)) return 'different'
  return original.every(({ args }, n) => canonical(args) === canonical(replay[n]?.args ?? '')) ? 'same' : 'arguments'
}

/** JSON with sorted names, whose order has no meaning. */
function canonical(args: string): string {
  try {
    return JSON.stringify(sorted(parseExact(args)))
  } catch {
    return args
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}
