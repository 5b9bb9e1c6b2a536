/** One request as a simulated upstream saw it. */
import type { FallbackCause } from '#routing/fallbacks'
import { isSide, type Spoken } from './answer-text.ts'
import type { Script } from './script.ts'

export interface Attempt {
  number: number
  /** The client's request it belongs to. */
  request: number
  /** Channel and key. */
  place: string
  spoken: Spoken
  stream: boolean
  /** As callers know it. */
  model: string
  /** Texts to embed, or pictures to make. */
  inputs: number
  /** Unfinished pictures to be shown. */
  sketches: number
  /** The answer may be of any length. */
  roomy: boolean
  /** Simulated milliseconds. */
  at: number
  script: Script
  words: readonly string[]
  /** `stopped`: cancelled or aborted by us. */
  state: 'open' | 'ended' | 'stopped'
  /** Status and headers were given to us. */
  answered: boolean
  /** A whole word was given to us. */
  gaveWord: boolean
  /** Everything up to the reason why it stopped was given to us. */
  gaveFinish: boolean
  /** The last of the figures were given to us. */
  gaveUsage: boolean
  /** Every byte that it has was given to us. */
  gaveAll: boolean
}

/** The figures are nonsense. */
export const isWild = ({ script }: Attempt): boolean => script.kind === 'answer' && script.wild

/** It ended with the word of a filter, and nothing else. */
const isFiltered = ({ script, words, gaveFinish }: Attempt): boolean =>
  script.kind === 'answer' && script.finish === 'filter' && words.length === 0 && gaveFinish

/** It is known to be over: it was closed in order, or its terminator came, which Google's streams do not have. */
function isOver({ script, spoken, stream, state, gaveAll }: Attempt): boolean {
  if (script.kind !== 'answer' || (stream && script.fault)) return false
  if (state === 'ended') return script.cut?.ending !== 'break'
  return stream && spoken !== 'gemini' && gaveAll && script.terminator && !script.cut
}

/** Which lists of models it may open when it has failed; none = the request itself is at fault. */
export function causesOf(attempt: Attempt): readonly FallbackCause[] {
  const { script, spoken, answered } = attempt
  if (isFiltered(attempt)) return isOver(attempt) ? ['filter'] : ['filter', 'error']
  if (!answered || script.kind !== 'status' || script.status !== 400) return ['error']
  if (script.html || script.why === 'fault') return []
  if (script.why === 'context') return ['context']
  // Only OpenAI's contracts refuse a request in these words.
  return spoken === 'messages' || spoken === 'gemini' || isSide(spoken) ? [] : ['filter']
}
