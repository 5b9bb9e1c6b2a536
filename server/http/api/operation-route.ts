/** Shared by the endpoints of operations other than generation: check the key, read the body, call the relay, write the reply. */
import type { Variant } from '#canonical/operation/operation'
import { relayed, withAllowances } from '#http/request/respond'
import type { Visit } from '#http/request/route'
import type { Body } from '#relay/contract/ask'
import type { SideOperation, Style } from '#shared/ids'
import { admit, asksStrict, declaredBytes, type RelayServices, readJson, undeclaredBytes } from './relay-route.ts'

/** What distinguishes one endpoint. */
export interface OwnOperation {
  operation: SideOperation
  style: Style
  /** The model, when the path names it. */
  path?: string
  variant?: Variant
  /** Reads a body that is not JSON. Rejects with GatewayError. */
  read?(visit: Visit): Promise<Body>
}

/** Serves one request of an operation. Throws GatewayError. */
export async function answer(services: RelayServices, visit: Visit, own: OwnOperation): Promise<Response> {
  const { request, requestId } = visit
  const { read, style, ...asked } = own
  const caller = admit(services, visit)
  const reply = await services.relay({
    ...asked,
    requestId,
    caller,
    dialect: style,
    bytes: declaredBytes(request, undeclaredBytes),
    body: () => (read ? read(visit) : readJson(request, services)),
    strict: caller.strict || asksStrict(request),
    headers: request.headers,
    signal: request.signal,
  })
  return withAllowances(relayed(reply, visit, services), style, reply, services.clock)
}
