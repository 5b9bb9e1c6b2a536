/** What every door of an operation other than generation has in common: admit by key, read the body, ask the relay, write the reply. */
import type { Variant } from '#canonical/operation/operation'
import { relayed, withAllowances } from '#http/request/respond'
import type { Visit } from '#http/request/route'
import type { Body } from '#relay/contract/ask'
import type { SideOperation, Style } from '#shared/ids'
import { admit, asksStrict, type RelayServices, readJson } from './relay-route.ts'

/** What one door does in its own way. */
export interface OwnOperation {
  operation: SideOperation
  style: Style
  /** The model, where the path names it. */
  path?: string
  variant?: Variant
  /** Reads another body than JSON. Rejects with GatewayError. */
  read?(visit: Visit): Promise<Body>
}

/** One question from the door to its answer. Throws GatewayError. */
export async function answer(services: RelayServices, visit: Visit, own: OwnOperation): Promise<Response> {
  const { request, requestId } = visit
  const { read, style, ...asked } = own
  const caller = admit(services, visit)
  const reply = await services.relay({
    ...asked,
    requestId,
    caller,
    dialect: style,
    body: read ? read(visit) : readJson(request, services),
    strict: caller.strict || asksStrict(request),
    headers: request.headers,
    signal: request.signal,
  })
  return withAllowances(relayed(reply, visit, services), style, reply, services.clock)
}
