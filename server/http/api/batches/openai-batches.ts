/** `/v1/batches`: batches in OpenAI's words, whose requests come in a stored file and whose answers go into others. */

import { mostRequestBytes } from '#batches/batches'
import type { BatchQuestion } from '#canonical/batch'
import { keptFileIn } from '#canonical/kept-file'
import { admit, senderOf } from '#http/api/relay-route'
import { decodeUtf8, join, readJsonPieces } from '#http/request/read-body'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { withRoom } from '#http/request/with-room'
import { openaiBatches } from '#protocols/batches'
import { withModel } from '#protocols/operations'
import type { BodyRoom } from '#relay/contract/body-rooms'
import { GatewayError } from '#shared/errors'
import { type BatchServices, batchAt, cancelled, demandLight, make, pageOf, type Wanted } from './making.ts'

const { inLine, readBatch, readBatchLine, writeBatch, writeBatches } = openaiBatches

/** What each address asks. */
const asks: Readonly<Record<string, Pick<Wanted, 'operation' | 'dialect'>>> = {
  '/v1/chat/completions': { operation: 'generate', dialect: 'chat' },
  '/v1/responses': { operation: 'generate', dialect: 'responses' },
  '/v1/completions': { operation: 'generate', dialect: 'completions' },
  '/v1/embeddings': { operation: 'embed', dialect: 'openai' },
  '/v1/moderations': { operation: 'moderate', dialect: 'openai' },
}

/** Bytes of a line: a request and what is around it. */
const mostLine = mostRequestBytes + 4096
const noFile = () => new GatewayError('not_found', 'There is no file with this id.', { param: 'input_file_id' })

/** The requests in a file, line by line. Throws GatewayError, which names the line. */
async function* questionsIn(pieces: AsyncIterable<Uint8Array>, endpoint: string): AsyncGenerator<BatchQuestion> {
  let number = 0
  let rest: Uint8Array[] = []
  let bytes = 0
  const read = (): BatchQuestion | undefined => {
    number += 1
    const line = join(rest)
    rest = []
    bytes = 0
    demandLightLine(line, number)
    const text = decodeUtf8(line).trim()
    return text === '' ? undefined : readBatchLine(text, number, endpoint)
  }
  for await (const piece of pieces) {
    let from = 0
    for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, from)) {
      rest.push(piece.subarray(from, at))
      from = at + 1
      const question = read()
      if (question) yield question
    }
    rest.push(piece.subarray(from))
    bytes += piece.length - from
    if (bytes > mostLine) throw inLine(number + 1, new GatewayError('request_too_large', `A request may have ${mostRequestBytes} bytes.`))
  }
  const last = read()
  if (last) yield last
}

function demandLightLine(line: Uint8Array, number: number): void {
  try {
    demandLight(line)
  } catch (thrown) {
    throw thrown instanceof GatewayError ? inLine(number, thrown) : thrown
  }
}

async function create(services: BatchServices, visit: Visit): Promise<Response> {
  const caller = admit(services, visit)
  const tenant = caller.user.id
  const read = (room: BodyRoom) => readJsonPieces(visit.request, services, room)
  const { pieces, isLight } = await withRoom(services.rooms, senderOf(caller), read)
  if (!isLight) throw new GatewayError('request_too_large', 'The requests of a batch come in a file.')
  const { file: named, endpoint, ...facts } = readBatch(decodeUtf8(join(pieces)))
  const id = keptFileIn(named)
  const file = id === undefined ? undefined : await services.files.find(tenant, id)
  if (!file?.isWhole) throw noFile()
  if (file.purpose !== 'batch')
    throw new GatewayError('invalid_value', 'The purpose of the file must be `batch`.', { param: 'input_file_id' })
  const wanted: Wanted = {
    ...(asks[endpoint] as Pick<Wanted, 'operation' | 'dialect'>),
    ...{ words: 'chat', endpoint, facts: { ...facts, input: file.id } },
    about: (place, error) => inLine(place + 1, error),
    ...(endpoint === '/v1/moderations' && {
      asked: (body) => withModel(body, { rule: 'default', name: services.moderationModel() }),
    }),
  }
  return json(writeBatch(await make(services, visit, caller, wanted, questionsIn(services.files.read(tenant, file.id), endpoint))))
}

async function list(services: BatchServices, visit: Visit): Promise<Response> {
  const { batches, hasMore } = await pageOf(services, visit, 'chat', { after: 'after' })
  return json(writeBatches(batches, hasMore))
}

/** `/v1/batches` and what is under it. */
export function openaiBatchRoutes(services: BatchServices): Route[] {
  const route = (method: Route['method'], path: string, handle: Route['handle']): Route => ({
    ...{ method, path, envelope: 'chat', slow: method === 'POST', handle },
  })
  return [
    route('POST', '/v1/batches', (visit) => create(services, visit)),
    route('GET', '/v1/batches', (visit) => list(services, visit)),
    route('GET', '/v1/batches/:id', async (visit) => json(writeBatch(await batchAt(services, visit, 'chat')))),
    route('POST', '/v1/batches/:id/cancel', async (visit) => json(writeBatch(await cancelled(services, visit, 'chat')))),
  ]
}
