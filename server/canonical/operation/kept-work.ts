/** Work that an upstream does for a caller long after it was asked: a video, an interaction in the background. */

/** Where such work stands. */
export const workStates = ['queued', 'in_progress', 'completed', 'failed', 'cancelled'] as const
export type WorkState = (typeof workStates)[number]

/** What an upstream says of it. */
export interface WorkReport {
  state: WorkState
  /** Of a hundred. */
  progress: number
  /** Why it failed. */
  error?: { code: string; message: string }
}

/** What is kept of it, sealed. */
export interface WorkFacts {
  /** The model as the caller named it. */
  model: string
  /** Ids of the channel and of its key, where it is done. */
  channel: string
  key: string | null
  /** The model as the upstream names it, and the upstream's name of the work. */
  upstreamModel: string
  upstreamId: string
  report: WorkReport
}

/** It, as its owner may see it. */
export type KeptWork<Facts extends WorkFacts> = Facts & {
  id: string
  tenant: string
  keyId: string | null
  requestId: string
  createdAt: Date
  endedAt: Date | null
  expiresAt: Date
}
