/** How a replay is sent: as a request to Parley's own doors, whose caller is known already. HTTP knows how; this room only says what. */
import type { Caller } from '#accounts/caller'
import type { AbortSignalLike } from '#runtime/contract/abort'

/** A kept request as it is asked again. */
export interface ReplayCall {
  /** The id of the new request. */
  requestId: string
  /** Path and query, as the client asked. */
  address: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Uint8Array
  /** The model in place of the one that the request names; absent: that one. */
  model?: string
  /** The name of the only channel that is asked; absent: any. */
  channel?: string
  /** The id of the original. */
  of: string
  /** Whose request the original was. */
  owner: { userId: string; memberId: string | null; keyId: string | null }
  /** Who asks and pays. */
  caller: Caller
  signal: AbortSignalLike
}

/** Sends it by the same steps as any request. Rejects with `not_replayable` where no door takes it; refusals are responses. */
export type ReplayDoor = (call: ReplayCall) => Promise<Response>
