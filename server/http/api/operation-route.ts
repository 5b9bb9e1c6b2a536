/** Shared by the endpoints of operations other than generation: check the key, read the body, call the relay, write the reply. */
import type { Variant } from '#canonical/operation/operation'
import { readJson } from '#http/request/read-body'
import { relayed, withAllowances } from '#http/request/respond'
import type { Visit } from '#http/request/route'
import { withModel } from '#protocols/operations'
import type { Body } from '#relay/contract/ask'
import type { LargeAsk } from '#relay/contract/large-body'
import type { SideOperation, Style } from '#shared/ids'
import { admit, asksStrict, declaredBytes, type RelayServices, senderOf, undeclaredBytes } from './relay-route.ts'

/** What distinguishes one endpoint. */
export interface OwnOperation {
  operation: SideOperation
  style: Style
  /** The model, when the path names it. */
  path?: string
  variant?: Variant
  /** Reads a body that is not JSON, in the turn of `caller`. Rejects with GatewayError. */
  read?(visit: Visit, caller: string): Promise<Body>
  /** The model that the endpoint puts into a JSON body. */
  model?: LargeAsk['model']
}

/** Serves one request of an operation. Throws GatewayError. */
export async function answer(services: RelayServices, visit: Visit, own: OwnOperation): Promise<Response> {
  const { request, requestId } = visit
  const { read, style, model, ...asked } = own
  const { operation, path, variant } = asked
  const caller = admit(services, visit)
  const { house, captures } = services
  const keeps = house.keep || caller.key?.keepBodies || caller.group.keepBodies
  const capture = keeps ? captures.begin(visit, caller) : undefined
  visit.capture = capture
  const reply = await services.relay({
    ...asked,
    requestId,
    caller,
    dialect: style,
    bytes: declaredBytes(request, undeclaredBytes),
    isSpooled: read !== undefined,
    body: async () => {
      if (read) return read(visit, senderOf(caller))
      const as = { operation, dialect: style, ...(path !== undefined && { path }), ...(variant && { variant }), ...(model && { model }) }
      const body = await readJson(request, services, { caller: senderOf(caller), as, capture })
      return body.large || !model ? body : { content: withModel(String(body.content), model) }
    },
    capture,
    strict: caller.strict || asksStrict(request),
    headers: request.headers,
    signal: request.signal,
  })
  return withAllowances(relayed(reply, visit, services), style, reply, services.clock)
}
