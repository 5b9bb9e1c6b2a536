/** What must hold for a finished realtime session, judged by what each side saw. */
import type { NewLog } from '#billing/ledger/books'
import type { Price } from '#billing/pricing/price'
import type { RealtimeClient } from './realtime-client.ts'
import type { Connection } from './realtime-upstream.ts'
import { at } from './received-answer.ts'
import type { RunLog } from './run-log.ts'
import { priced } from './verdict.ts'

/** What each side saw of one session. */
export interface ObservedSession {
  client: RealtimeClient
  row: NewLog | undefined
  /** In the order in which they were opened. */
  connections: readonly Connection[]
  price: Price
  /** In millionths. */
  ratio: bigint
}

interface Responses {
  /** The cost in nano-dollars of the usage that the upstream reported. */
  reported: bigint
  /** Some responses with content have no reported usage. */
  unreported: boolean
  /** Some responses never ended. */
  open: boolean
}

function responsesIn(frames: readonly string[], { price, ratio }: ObservedSession): Responses {
  const words = new Map<unknown, number>()
  let reported = 0n
  let unreported = false
  for (const frame of frames) {
    const event: unknown = JSON.parse(frame)
    const [id, usage] = [at(event, 'response', 'id'), at(event, 'response', 'usage')]
    const responseId = at(event, 'response_id')
    if (at(event, 'type') === 'response.created') words.set(id, 0)
    if (responseId !== undefined) words.set(responseId, (words.get(responseId) ?? 0) + 1)
    if (at(event, 'type') !== 'response.done') continue
    if (usage) reported += priced(price, ratio, Number(at(usage, 'input_tokens')), Number(at(usage, 'output_tokens')))
    else unreported ||= (words.get(id) ?? 0) > 0
    words.delete(id)
  }
  return { reported, unreported: unreported || [...words.values()].some((count) => count > 0), open: words.size > 0 }
}

const begins = (whole: readonly string[], part: readonly string[]) => part.every((frame, index) => frame === whole[index])

/** Checks one finished session. */
export function judgeSession(seen: ObservedSession, log: RunLog): void {
  const { client, row, connections } = seen
  const { requestId } = client.plan
  if (!row) {
    log.fail(`${requestId} has no usage row`)
    return
  }
  const refused = client.refused()
  log.check(row.error?.code !== 'internal_error', `${requestId} ended with an internal error`)
  log.check(
    row.attempts.length === connections.length,
    `${requestId} has ${connections.length} connections, its row has ${row.attempts.length} attempts`,
  )
  if (refused) {
    log.check(refused.status === row.status && row.cost === 0n, `${requestId} was refused, its row says ${row.status} and ${row.cost}`)
    return
  }
  const connection = connections.at(-1)
  // The last frame that the client received may be Parley's own.
  const last = client.received.at(-1)
  const ours = row.error !== null && last !== undefined && connection?.gave[client.received.length - 1] !== last
  const theirs = ours ? client.received.slice(0, -1) : client.received
  log.check(begins(connection?.gave ?? [], theirs), `${requestId} received frames that the upstream did not send`)
  log.check(begins(client.sent, connection?.took ?? []), `${requestId} did not send what the upstream received`)
  const { reported, unreported, open } = responsesIn(theirs, seen)
  const fits = unreported ? row.cost > reported : row.cost === reported
  log.check(fits, `${requestId} costs ${row.cost}, its responses report ${reported}${unreported ? ' or more' : ''}`)
  log.check(row.error !== null || !open, `${requestId} is marked complete in the middle of a response`)
}
