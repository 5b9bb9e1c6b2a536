/** Requests at the doors to objects in an upstream's account (`#canonical/account-object`), and their answers. */
import type { Caller } from '#accounts/caller'
import type { ObjectDoor } from '#canonical/account-object'
import type { Allowances } from '#canonical/allowance'
import type { Loss } from '#canonical/loss'
import type { Form } from '#canonical/operation/operation'
import type { AbortSignalLike } from '#runtime/contract/abort'

/** A body: JSON text, a form, or bytes of an upload. */
export type ObjectContent = { text: string } | { form: Form } | { bytes: Uint8Array; type: string }

/** A request at a door. */
export interface ObjectAsk {
  requestId: string
  caller: Caller
  door: ObjectDoor
  /** What the address names. */
  id?: string
  part?: string
  /** Without what carries a credential. */
  query: URLSearchParams
  headers: Pick<Headers, 'get'>
  /** Reads the body, once at most; undefined: there is none. Rejects with GatewayError. */
  body(): Promise<{ content: ObjectContent; release?(): void } | undefined>
  /** Aborted when the client leaves. */
  signal: AbortSignalLike
  /** Google's uploads: headers that go along, and the address to go on at in place of the door's. */
  upload?: { headers: Readonly<Record<string, string>>; url?: string }
}

/** The answer of an upstream, in its own words. */
export interface ObjectReply {
  status: number
  contentType: string
  body: string | readonly Uint8Array[]
  /** What a list leaves out. */
  losses: readonly Loss[]
  /** What is left of the caller's rate limits. */
  left: Allowances
  /** Of Google's uploads. */
  headers: Readonly<Record<string, string>>
}

/** Serves a request. Rejects with GatewayError, after its usage row is written. */
export type ServeObject = (ask: ObjectAsk) => Promise<ObjectReply>
