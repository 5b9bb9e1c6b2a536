/** How a replay is sent: as a request to Parley's own endpoints with a known caller. Implemented by HTTP; this room only defines it. */
import type { Caller } from '#accounts/caller'
import type { AbortSignalLike } from '#runtime/contract/abort'

/** A kept request to send again. */
export interface ReplayCall {
  /** The id of the new request. */
  requestId: string
  /** Path and query of the client's request. */
  address: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Uint8Array
  /** The model in place of the one that the request names; absent: that one. */
  model?: string
  /** Name of the only channel to use; absent: any. */
  channel?: string
  /** The id of the original. */
  of: string
  /** The owner of the original. */
  owner: { userId: string; memberId: string | null; keyId: string | null }
  /** The sender, who pays. */
  caller: Caller
  signal: AbortSignalLike
}

/** Sends it through the same steps as any request. Rejects with `not_replayable` where no endpoint takes it; refusals are responses. */
export type ReplayDispatch = (call: ReplayCall) => Promise<Response>
