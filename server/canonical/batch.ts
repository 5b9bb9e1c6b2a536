/** Batches, as shared by the code that creates, runs, shows and stores them. */
import type { BatchEnd } from '#shared/batch'

/** The wire format of a batch. */
export type BatchWords = 'chat' | 'messages' | 'gemini'

/** One request of a batch. */
export interface BatchQuestion {
  /** The caller's id for it; as JSON for Gemini, or empty. */
  name: string
  /** Its body: JSON as received. */
  body: string
}

/** The sealed part of a batch. */
export interface BatchFacts {
  /** Id of the stored file that it was read from. */
  input?: string
  metadata?: Record<string, string>
  /** Its display name. */
  title?: string
  /** Milliseconds until its files expire. */
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
  /** The path of the endpoint for its requests. */
  endpoint: string
  createdAt: Date
  /** When requests that were not sent by then are given up. */
  endsAt: Date
  expiresAt: Date
  cancelledAt: Date | null
  endedAt: Date | null
  total: number
  /** Number of requests by their end. */
  counts: Readonly<Record<BatchEnd, number>>
}

/** How a request of a batch ended. */
export interface BatchResult {
  place: number
  name: string
  end: BatchEnd
  requestId: string | null
  /** Set for a request that was sent. */
  answer?: BatchAnswer
}

/** An answer as a client would get it. */
export interface BatchAnswer {
  status: number
  /** JSON. */
  body: string
}
