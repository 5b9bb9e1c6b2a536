/** `/v1/messages/batches`: batches in the format of Messages, with requests in the call and answers as lines. */
import { mostRequestBytes } from '#batches/batches'
import type { Batch, BatchQuestion } from '#canonical/batch'
import { requireVersion } from '#http/api/messages'
import { admit, declaredBytes, undeclaredBytes } from '#http/api/relay-route'
import { bodyPieces, bodyTimeMs, decodeUtf8, demandJson, inSlices } from '#http/request/read-body'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { messageBatches } from '#protocols/batches'
import { GatewayError } from '#shared/errors'
import { elementsOf } from '#wire/json-elements'
import { type BatchServices, batchAt, cancelled, demandLight, make, pageOf, type Wanted } from './making.ts'

const { readMessagesRequest, writeMessagesBatch, writeMessagesBatches, writeMessagesResult } = messageBatches

/** Most bytes of the call that creates one, and of a request with its wrapper. */
const mostBytes = 32 * 1024 * 1024
const mostElement = mostRequestBytes + 4096
const requests = { path: [['requests']] }

async function* questionsIn({ clock, idleMs }: BatchServices, { request }: Visit): AsyncGenerator<BatchQuestion> {
  const limits = { maxBytes: mostBytes, clock, timeMs: bodyTimeMs, idleMs }
  let place = 0
  for await (const element of elementsOf(inSlices(bodyPieces(request, limits)), requests, mostElement)) {
    demandLight(element)
    yield readMessagesRequest(decodeUtf8(element).trim(), place)
    place += 1
  }
}

async function create(services: BatchServices, visit: Visit): Promise<Response> {
  const caller = admit(services, visit)
  requireVersion(visit)
  demandJson(visit.request)
  const wanted: Wanted = {
    ...{ operation: 'generate', dialect: 'messages', words: 'messages', endpoint: '/v1/messages', facts: {} },
    about: (place, { code, message, param }) =>
      new GatewayError(code, message, { param: `requests[${place}].params${param === undefined ? '' : `.${param}`}` }),
  }
  const room = await services.intake.admit({ caller, bytes: declaredBytes(visit.request, undeclaredBytes) })
  try {
    const batch = await make(services, visit, caller, wanted, questionsIn(services, visit))
    return json(writeMessagesBatch(batch, services.publicUrl.origin))
  } finally {
    room.release()
  }
}

async function list(services: BatchServices, visit: Visit): Promise<Response> {
  const { batches, hasMore } = await pageOf(services, visit, 'messages', { after: 'after_id', before: 'before_id' })
  return json(writeMessagesBatches(batches, hasMore, services.publicUrl.origin))
}

async function remove(services: BatchServices, visit: Visit): Promise<Response> {
  const { id, endedAt } = await batchAt(services, visit, 'messages')
  if (!endedAt) throw new GatewayError('invalid_request', 'The batch is still under way. Cancel it first.')
  await services.batches.remove(id)
  return json({ id, type: 'message_batch_deleted' })
}

const encoder = new TextEncoder()

/** Streams the results, one by one. */
async function results(services: BatchServices, visit: Visit): Promise<Response> {
  const batch = await batchAt(services, visit, 'messages')
  if (!batch.endedAt) throw new GatewayError('invalid_request', 'The batch is still under way: it has no results yet.')
  const lines = services.batches.results(batch)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(writeMessagesResult(value)))
    },
    cancel: () => void lines.return(undefined),
  })
  return new Response(body, { headers: { 'content-type': 'application/x-jsonl', 'cache-control': 'no-store' } })
}

/** `/v1/messages/batches` and what is under it. */
export function messageBatchRoutes(services: BatchServices): Route[] {
  const at = '/v1/messages/batches/:id'
  const route = (method: Route['method'], path: string, handle: Route['handle'], slow = false): Route => ({
    ...{ method, path, envelope: 'messages', handle },
    ...(slow && { slow }),
  })
  const shown = (batch: Batch) => json(writeMessagesBatch(batch, services.publicUrl.origin))
  return [
    route('POST', '/v1/messages/batches', (visit) => create(services, visit), true),
    route('GET', '/v1/messages/batches', (visit) => list(services, visit)),
    route('GET', at, async (visit) => shown(await batchAt(services, visit, 'messages'))),
    route('DELETE', at, (visit) => remove(services, visit)),
    route('POST', `${at}/cancel`, async (visit) => shown(await cancelled(services, visit, 'messages'))),
    route('GET', `${at}/results`, (visit) => results(services, visit), true),
  ]
}
