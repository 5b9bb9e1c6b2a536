/** Step 3: the body is read by the codec of its door, and refused for what its head says. */

import type { Ask, RelayParts } from '#relay/contract/ask'
import type { ReadRequest } from '#relay/contract/steps'
import { openConversation } from '#relay/conversation/conversation'
import { openOperation } from '#relay/operation/operation'
import { GatewayError } from '#shared/errors'
import { isSideOperation } from '#shared/ids'

/** Rejects with GatewayError for a body that did not arrive, and for what Parley itself reads of it. */
export async function readRequest(parts: RelayParts, ask: Ask): Promise<ReadRequest> {
  const body = await ask.body
  return isSideOperation(ask.operation) ? openOperation(parts, ask, body) : openConversation(parts, ask, body)
}

/**
 * Throws GatewayError for what the door refuses, and `not_found` for state in an upstream's account that Parley did not record
 * for this caller: all tenants of a channel share that account.
 */
export function checkHead({ ask, head, known }: ReadRequest): void {
  ask.check?.(head)
  const isKnown = ({ kind, id }: { kind: string; id: string }) => known?.some((one) => one.kind === kind && one.id === id)
  const foreign = head.stateRefs?.find((ref) => !isKnown(ref))
  if (foreign) throw new GatewayError('not_found', `There is no ${foreign.kind} with this id.`)
}
