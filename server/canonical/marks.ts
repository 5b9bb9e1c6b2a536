/** Attachments of parts: opaque state of vendors, cache breakpoints, citations. */
import type { Dialect } from '#shared/ids'

/**
 * State that only its maker can read: signatures, encrypted reasoning, thought signatures. A codec only writes opaque state of its own
 * dialect, and reads whatever is in its own slots; `server/reasoning-state` carries one dialect's state through another's slot, by
 * replacing `value` with a sealed envelope and back.
 */
export interface Opaque {
  dialect: Dialect
  kind: 'signature' | 'encrypted' | 'redacted' | 'thought-signature' | 'compaction' | 'citation-index'
  value: string
}

/** A cache breakpoint after a part; the time is how long the vendor should cache what precedes it. */
export interface CacheMark {
  ttl: '5m' | '30m' | '1h' | '12h'
}

/** A source of the text. */
export interface Citation {
  kind: 'web' | 'document'
  url?: string
  title?: string
  citedText?: string
  /** UTF-16 offsets into the text of the part, when known. */
  start?: number
  end?: number
  opaque?: Opaque[]
  /** The original citation, for the dialect that wrote it. */
  raw?: unknown
}

/** Phases of an answer, in dialects that distinguish them. */
export type Phase = 'commentary' | 'final_answer'

/** A token of the answer with its natural log probability, and the most likely alternatives. */
export interface TokenLogprob {
  token: string
  logprob: number
  bytes: number[] | null
  top: { token: string; logprob: number; bytes: number[] | null }[]
}

/** The prefix of an envelope. */
export const envelopeMark = 'gw1.'
/** The same in base64, for any continuation. */
export const envelopeMarkInBase64 = 'Z3cxL'

/** In a JSON text with an envelope as a value, some string begins with one of these. */
export const envelopeMarks = [envelopeMark, envelopeMarkInBase64] as const
