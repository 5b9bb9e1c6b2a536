/** `/v1/batches`: batches in OpenAI's format, with requests in a stored file and answers in others. */
import type { BatchQuestion } from '#canonical/batch'
import { keptFileIn } from '#canonical/kept-file'
import { admit, senderOf } from '#http/api/relay-route'
import { decodeUtf8, join, readJsonPieces } from '#http/request/read-body'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { spokenIn } from '#http/request/spoken'
import { withRoom } from '#http/request/with-room'
import { openaiBatches } from '#protocols/batches'
import { withModel } from '#protocols/operations'
import type { BodyRoom } from '#relay/contract/body-rooms'
import { GatewayError } from '#shared/errors'
import { geminiBatchHandlers as gemini } from './gemini-batches.ts'
import { linesOf } from './lines.ts'
import { type BatchServices, batchAt, cancelled, make, pageOf, type Wanted } from './making.ts'

const { inLine, readBatch, readBatchLine, writeBatch, writeBatches } = openaiBatches

/** The operation of each endpoint. */
const asks: Readonly<Record<string, Pick<Wanted, 'operation' | 'dialect'>>> = {
  '/v1/chat/completions': { operation: 'generate', dialect: 'chat' },
  '/v1/responses': { operation: 'generate', dialect: 'responses' },
  '/v1/completions': { operation: 'generate', dialect: 'completions' },
  '/v1/embeddings': { operation: 'embed', dialect: 'openai' },
  '/v1/moderations': { operation: 'moderate', dialect: 'openai' },
}

const noFile = () => new GatewayError('not_found', 'There is no file with this id.', { param: 'input_file_id' })

/** The requests in a file, line by line. Throws GatewayError, which names the line. */
async function* questionsIn(pieces: AsyncIterable<Uint8Array>, endpoint: string): AsyncGenerator<BatchQuestion> {
  for await (const { text, number } of linesOf(pieces, inLine)) yield readBatchLine(text, number, endpoint)
}

async function create(services: BatchServices, visit: Visit): Promise<Response> {
  const caller = admit(services, visit)
  const tenant = caller.user.id
  const read = (room: BodyRoom) => readJsonPieces(visit.request, services, room)
  const { pieces, isLight } = await withRoom(services.rooms, senderOf(caller), read)
  if (!isLight)
    throw new GatewayError(
      'request_too_large',
      'The body is too large: the requests of a batch must be in an uploaded file (`input_file_id`).',
    )
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

/** Google's clients use these addresses too. */
const isGemini = (visit: Visit) => spokenIn(visit) === 'gemini'

/** `/v1/batches` and what is under it. */
export function openaiBatchRoutes(services: BatchServices): Route[] {
  const at = '/v1/batches/:id'
  const route = (method: Route['method'], path: string, handle: (services: BatchServices, visit: Visit) => Promise<Response>): Route => ({
    ...{ method, path, slow: method === 'POST' || path === at },
    envelope: (visit) => (spokenIn(visit) === 'gemini' ? 'gemini' : 'chat'),
    handle: (visit) => handle(services, visit),
  })
  const shown = async (services: BatchServices, visit: Visit) => json(writeBatch(await batchAt(services, visit, 'chat')))
  return [
    route('POST', '/v1/batches', create),
    route('GET', '/v1/batches', (services, visit) => (isGemini(visit) ? gemini.list : list)(services, visit)),
    route('GET', at, (services, visit) => (isGemini(visit) ? gemini.shown : shown)(services, visit)),
    route('DELETE', at, gemini.remove),
    route('POST', at, gemini.act),
    route('POST', `${at}/cancel`, async (services, visit) => json(writeBatch(await cancelled(services, visit, 'chat')))),
  ]
}
