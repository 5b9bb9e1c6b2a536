/** Long-running work that an upstream does for a caller: a video, an interaction in the background. */

/** The states of such work. */
export const workStates = ['queued', 'in_progress', 'completed', 'failed', 'cancelled'] as const
export type WorkState = (typeof workStates)[number]

/** An upstream's report on it. */
export interface WorkReport {
  state: WorkState
  /** Percent. */
  progress: number
  /** Why it failed. */
  error?: { code: string; message: string }
}

/** What is stored of it, sealed. */
export interface WorkFacts {
  /** The model as the caller named it. */
  model: string
  /** Ids of the channel and the key that have it. */
  channel: string
  key: string | null
  /** The model as the upstream names it, and the upstream's name of the work. */
  upstreamModel: string
  upstreamId: string
  report: WorkReport
}

/** The work, as its owner may see it. */
export type KeptWork<Facts extends WorkFacts> = Facts & {
  id: string
  tenant: string
  keyId: string | null
  requestId: string
  createdAt: Date
  endedAt: Date | null
  expiresAt: Date
}
