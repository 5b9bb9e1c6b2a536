/** The values that the steps of an object request pass on. */
import type { StateRef } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { ObjectBody } from '#protocols/objects'
import type { RelayParts } from '#relay/contract/ask'
import type { ObjectAsk, ObjectContent, ObjectReply } from '#relay/contract/objects'
import type { Candidate } from '#routing/order'
import type { CopyParts } from './copies.ts'

export type ObjectParts = RelayParts & CopyParts

/** A parsed request. */
export interface ObjectRequest {
  ask: ObjectAsk
  content: ObjectContent | undefined
  parsed: ObjectBody
  /** The object that the URL names. */
  object: StateRef | undefined
}

/** Its result. */
export interface ObjectOutcome extends Omit<ObjectReply, 'left'> {
  candidate: Candidate | undefined
  /** The upstream's representation of the object. */
  value?: unknown
  losses: readonly Loss[]
}
