/** Shared by the endpoints of operations other than generation: check the key, read the body, call the relay, write the reply. */

import type { Variant } from '#canonical/operation/operation'
import type { WordingName } from '#canonical/wording'
import { readJson } from '#http/request/read-body'
import { relayed, withAllowances } from '#http/request/respond'
import type { Visit } from '#http/request/route'
import { withModel } from '#protocols/operations'
import type { Body } from '#relay/contract/ask'
import type { BodyRoom } from '#relay/contract/body-rooms'
import type { LargeAsk } from '#relay/contract/large-body'
import { mayNameFiles } from '#relay/conversation/kept-files'
import type { SideOperation, Style } from '#shared/ids'
import { admit, asksStrict, declaredBytes, type RelayServices, senderOf, undeclaredBytes } from './relay-route.ts'
import { openWording } from './reworded.ts'

/** What distinguishes one endpoint. */
export interface OwnOperation {
  operation: SideOperation
  style: Style
  /** The model, when the path names it. */
  path?: string
  variant?: Variant
  /** Reads a body that is not JSON, in the fair queue of `caller`. Rejects with GatewayError. */
  read?(visit: Visit, caller: string, room: Pick<BodyRoom, 'grow'> | undefined): Promise<Body>
  /** The model that the endpoint puts into a JSON body. */
  model?: LargeAsk['model']
  /** The wording of its clients, which is converted to the style. */
  wording?: WordingName
}

/** A form with its model replaced by this one. */
function formWithModel({ content, ...body }: Body, model: string): Body {
  if (typeof content === 'string') return { ...body, content }
  const others = content.parts.filter(({ name }) => name !== 'model')
  return { ...body, content: { ...content, parts: [...others, { name: 'model', value: model }] } }
}

/** Serves one request of an operation. Throws GatewayError. */
export async function answer(services: RelayServices, visit: Visit, own: OwnOperation): Promise<Response> {
  const { request, requestId } = visit
  const { read, style, model: ownModel, wording, ...asked } = own
  const words = wording && openWording(services.clock, wording)
  const model = visit.addressed?.model ?? ownModel
  const { operation, path, variant } = asked
  const caller = admit(services, visit)
  const { house, captures } = services
  const keeps = house.keep || caller.key?.keepBodies || caller.group.keepBodies || visit.replay
  const capture = keeps ? captures.begin(visit, caller) : undefined
  visit.capture = capture
  const strict = caller.strict || asksStrict(request)
  const reply = await services.relay({
    ...asked,
    requestId,
    caller,
    dialect: style,
    bytes: declaredBytes(request, undeclaredBytes),
    isSpooled: read !== undefined,
    body: async (room) => {
      if (read) return model ? formWithModel(await read(visit, senderOf(caller), room), model.name) : read(visit, senderOf(caller), room)
      const as = {
        operation,
        dialect: style,
        ...(path !== undefined && { path }),
        ...(variant && { variant }),
        ...(model && { model }),
        ...(wording && { wording }),
      }
      const came = await readJson(request, services, { caller: senderOf(caller), as: wording ? { ...as, wording } : as, capture, room })
      const sent = words ? words.read(came, strict) : came
      const body = sent.large || !model ? sent : { ...sent, content: withModel(String(sent.content), model) }
      return mayNameFiles(body) ? services.putFilesIn(body, { tenant: caller.user.id, caller: senderOf(caller), as }) : body
    },
    capture,
    replay: visit.replay,
    strict,
    headers: request.headers,
    signal: request.signal,
  })
  return withAllowances(relayed(words ? words.write(reply) : reply, visit, services), style, reply, services.clock)
}
