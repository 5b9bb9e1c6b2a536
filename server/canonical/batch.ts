/** What a batch is, for everybody who makes, runs, shows or writes one. */
import type { BatchEnd } from '#shared/batch'

/** In whose words a batch is made. */
export type BatchWords = 'chat' | 'messages' | 'gemini'

/** One request of a batch. */
export interface BatchQuestion {
  /** The name that its caller gave it; in Gemini's words as JSON, or empty. */
  name: string
  /** Its body: JSON as it came. */
  body: string
}

/** What of a batch is sealed. */
export interface BatchFacts {
  /** Id of the stored file that it was read from. */
  input?: string
  metadata?: Record<string, string>
  /** What its maker calls it. */
  title?: string
  /** Milliseconds that its files are kept. */
  outputMs?: number
  /** Ids of the stored files with its answers, and with its errors. */
  output?: string
  errors?: string
  /** The model of its first request. */
  model?: string
}

/** A batch without its requests. */
export interface Batch extends BatchFacts {
  id: string
  tenant: string
  keyId: string
  words: BatchWords
  /** The address that its requests are for. */
  endpoint: string
  createdAt: Date
  /** When what has not been asked by then is given up. */
  endsAt: Date
  expiresAt: Date
  cancelledAt: Date | null
  endedAt: Date | null
  total: number
  /** How many ended how. */
  counts: Readonly<Record<BatchEnd, number>>
}

/** How a request of a batch ended. */
export interface BatchResult {
  place: number
  name: string
  end: BatchEnd
  requestId: string | null
  /** Of a request that was asked. */
  answer?: BatchAnswer
}

/** An answer as its client would have had it. */
export interface BatchAnswer {
  status: number
  /** JSON. */
  body: string
}
