/** One request as a simulated upstream saw it. */
import type { FallbackCause } from '#routing/fallbacks'
import { isSideOperation, type WireName } from './answer-text.ts'
import type { Script } from './script.ts'

/** One upstream request: what it asks for, its scripted answer, and how much of that answer was delivered to the relay. */
export interface Attempt {
  number: number
  /** The number of the client request it belongs to. */
  request: number
  /** The secret of the key that it was sent with, which identifies channel and key. */
  place: string
  wire: WireName
  stream: boolean
  /** The model name that callers use. */
  model: string
  /** Number of texts to embed, or of images to generate. */
  inputs: number
  /** Number of partial images requested. */
  partialImages: number
  /** Whether the output is not limited to a short answer. */
  unlimited: boolean
  /** Milliseconds on the simulated clock. */
  at: number
  script: Script
  words: readonly string[]
  /** `stopped`: cancelled or aborted by the relay. */
  state: 'open' | 'ended' | 'stopped'
  /** Status and headers were delivered. */
  answered: boolean
  /** The first complete word was delivered. */
  gaveWord: boolean
  /** Everything up to the finish reason was delivered. */
  gaveFinish: boolean
  /** The last usage figure was delivered. */
  gaveUsage: boolean
  /** Every byte of the answer was delivered. */
  gaveAll: boolean
}

/** Whether the reported usage is implausible. */
export const hasImplausibleUsage = ({ script }: Attempt): boolean => script.kind === 'answer' && script.implausible

/** It ended with a content filter's finish reason and no text. */
const isFiltered = ({ script, words, gaveFinish }: Attempt): boolean =>
  script.kind === 'answer' && script.finish === 'filter' && words.length === 0 && gaveFinish

/** Whether it is known to be complete: the connection was closed normally, or the terminator arrived (Google's streams have none). */
function isOver({ script, wire, stream, state, gaveAll }: Attempt): boolean {
  if (script.kind !== 'answer' || (stream && script.fault)) return false
  if (state === 'ended') return script.cut?.ending !== 'break'
  return stream && wire !== 'gemini' && gaveAll && script.terminator && !script.cut
}

/** The fallback lists that this failed attempt may open; none if the request itself is at fault. */
export function causesOf(attempt: Attempt): readonly FallbackCause[] {
  const { script, wire, answered } = attempt
  if (isFiltered(attempt)) return isOver(attempt) ? ['filter'] : ['filter', 'error']
  if (!answered || script.kind !== 'status' || script.status !== 400) return ['error']
  if (script.html || script.why === 'fault') return []
  if (script.why === 'context') return ['context']
  // Only OpenAI's formats report a content filter this way.
  return wire === 'messages' || wire === 'gemini' || isSideOperation(wire) ? [] : ['filter']
}
