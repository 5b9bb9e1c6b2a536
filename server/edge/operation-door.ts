/** What every door of an operation other than generation does the same way: admit by key, read the body, ask, write the reply. */
import type { Incoming, Variant } from '#canonical/operation'
import type { SideOperation, Style } from '#shared/ids'
import { admit, asksStrict, type RelayDoor, readJsonText } from './relay-door.ts'
import { relayed, withAllowances } from './respond.ts'
import type { Visit } from './route.ts'

/** What one door does in its own way. */
export interface OwnOperation {
  operation: SideOperation
  style: Style
  /** The model, where the path names it. */
  path?: string
  variant?: Variant
  /** Reads another body than JSON; `release` is called once when nothing reads it any more. Throws GatewayError. */
  read?(visit: Visit): Promise<{ body: Incoming; release(): void }>
}

/** One question from the door to its answer. Throws GatewayError. */
export async function answer(door: RelayDoor, visit: Visit, own: OwnOperation): Promise<Response> {
  const { request, requestId } = visit
  const { read, style, ...asked } = own
  const caller = admit(door, visit)
  let release: (() => void) | undefined
  const reply = await door.relay({
    ...asked,
    requestId,
    caller,
    dialect: style,
    async body() {
      if (!read) return readJsonText(request, door)
      const incoming = await read(visit)
      release = incoming.release
      return incoming.body
    },
    release: () => release?.(),
    strict: caller.strict || asksStrict(request),
    header: (name) => request.headers.get(name),
    signal: request.signal,
  })
  return withAllowances(relayed(reply, visit, door), style, reply, door.clock)
}
