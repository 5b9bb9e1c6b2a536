/** A call that an upstream holds for a caller, over WebRTC or SIP. */

/** What is stored of it, sealed. */
export interface CallFacts {
  /** The model as the caller named it. */
  model: string
  /** Ids of the channel and the key that have it. */
  channel: string
  key: string | null
  /** The upstream's id of it. */
  upstreamId: string
  /** It only transcribes. */
  transcribes?: true
  /** The client address that opened it. */
  address: string
}

/** A call, as its owner may see it. */
export interface KeptCall extends CallFacts {
  id: string
  tenant: string
  keyId: string
  requestId: string
  createdAt: Date
  endedAt: Date | null
}
