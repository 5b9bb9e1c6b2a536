/** What hangs on a part: opaque state of its maker, cache breakpoints, citations. */
import type { Dialect } from '#shared/ids'

/**
 * State that only its maker can read: signatures, encrypted reasoning, thought signatures. A codec writes only opaque state of
 * its own dialect and reads whatever stands in its own slots; carrying one dialect's state through another's slot is the
 * vault's work, which swaps `value` for a sealed envelope and back, outside the codecs.
 */
export interface Opaque {
  dialect: Dialect
  kind: 'signature' | 'encrypted' | 'redacted' | 'thought-signature' | 'compaction' | 'citation-index'
  value: string
}

/** A cache breakpoint after a part; the time is how long the vendor should keep what stands before it. */
export interface CacheMark {
  ttl: '5m' | '30m' | '1h' | '12h'
}

export interface Citation {
  kind: 'web' | 'document'
  url?: string
  title?: string
  citedText?: string
  /** UTF-16 offsets into the text of the part, when known. */
  start?: number
  end?: number
  opaque?: Opaque[]
  /** The citation as it came, for the dialect that wrote it. */
  raw?: unknown
}

export type Phase = 'commentary' | 'final_answer'

/** A token of the answer with its natural log probability, and what else might have stood there. */
export interface TokenLogprob {
  token: string
  logprob: number
  bytes: number[] | null
  top: { token: string; logprob: number; bytes: number[] | null }[]
}
