/** What the steps of a request at a door hand to each other. */
import type { StateRef } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { ObjectBody } from '#protocols/objects'
import type { RelayParts } from '#relay/contract/ask'
import type { ObjectAsk, ObjectContent, ObjectReply } from '#relay/contract/objects'
import type { Candidate } from '#routing/order'
import type { CopyParts } from './copies.ts'

/** What serving needs of the program. */
export type ObjectParts = RelayParts & CopyParts

/** What was read of a request. */
export interface ObjectRequest {
  ask: ObjectAsk
  content: ObjectContent | undefined
  said: ObjectBody
  /** The object that the address names. */
  object: StateRef | undefined
}

/** What came of it. */
export interface ObjectOutcome extends Omit<ObjectReply, 'left'> {
  candidate: Candidate | undefined
  /** What the upstream said of the object. */
  value?: unknown
  losses: readonly Loss[]
}
