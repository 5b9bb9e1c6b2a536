/**
 * `{model}:batchGenerateContent`, `:asyncBatchEmbedContent` and `/v1beta/batches`: batches in Gemini's format, with requests in the
 * call or in a stored file. Google's newer clients use `/v1/batches`, which they share with OpenAI's.
 */
import type { Caller } from '#accounts/caller'
import { mostRequestBytes, mostRequests } from '#batches/batches'
import type { Batch, BatchQuestion } from '#canonical/batch'
import { admit, declaredBytes, undeclaredBytes } from '#http/api/relay-route'
import { bodyPieces, bodyTimeMs, decodeUtf8, demandJson, inSlices, join } from '#http/request/read-body'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { geminiBatches } from '#protocols/batches'
import type { BodyRoom } from '#relay/contract/body-rooms'
import { GatewayError } from '#shared/errors'
import { elementsOf } from '#wire/json-elements'
import { linesOf } from './lines.ts'
import { type BatchServices, batchAt, cancelled, demandLight, make, pageOf, type Wanted } from './making.ts'

const { aroundAnswers, atInline, atLine, hasAnswersInside, inlineRequests, readBatchPath, readFileRequest, readGeminiBatch } = geminiBatches
const { readInlineRequest, writeGeminiAnswer, writeGeminiBatch, writeGeminiBatches } = geminiBatches

/** Most bytes of the call, of a request in it with its wrapper, and of everything but the requests. */
const mostBytes = 32 * 1024 * 1024
const mostElement = mostRequestBytes + 8192
const mostAround = 64 * 1024

/** The same pieces; the room grows as they arrive. */
async function* inRoom(pieces: AsyncIterable<Uint8Array>, room: BodyRoom): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    room.grow(bytes)
    yield piece
  }
}

/** The call that creates a batch: its requests, verbatim, and the rest of it. */
async function read(
  { clock, idleMs }: BatchServices,
  { request }: Visit,
  room: BodyRoom,
): Promise<{ requests: Uint8Array[]; rest: string }> {
  const requests: Uint8Array[] = []
  const rest: Uint8Array[] = []
  let bytes = 0
  function around(piece: Uint8Array): void {
    rest.push(piece.slice())
    bytes += piece.length
    if (bytes > mostAround)
      throw new GatewayError('request_too_large', 'The body is too large: only `batch.inputConfig.requests` may be large.')
  }
  const pieces = inRoom(bodyPieces(request, { maxBytes: mostBytes, clock, timeMs: bodyTimeMs, idleMs }), room)
  for await (const element of elementsOf(inSlices(pieces), { path: inlineRequests, around }, mostElement)) {
    if (requests.length >= mostRequests) throw new GatewayError('request_too_large', `A batch may have at most ${mostRequests} requests.`)
    requests.push(element)
  }
  return { requests, rest: decodeUtf8(join(rest)) }
}

async function* inlineQuestions(requests: readonly Uint8Array[], model: string): AsyncGenerator<BatchQuestion> {
  for (const [place, request] of requests.entries()) {
    demandLight(request)
    yield readInlineRequest(decodeUtf8(request).trim(), place, model)
  }
}

async function* fileQuestions(pieces: AsyncIterable<Uint8Array>, model: string): AsyncGenerator<BatchQuestion> {
  for await (const { text, number } of linesOf(pieces, atLine)) yield readFileRequest(text, number, model)
}

type Asked = NonNullable<ReturnType<typeof readBatchPath>>

interface Begin {
  visit: Visit
  caller: Caller
  asked: Asked
  room: BodyRoom
}

async function begun(services: BatchServices, { visit, caller, asked: { model, action }, room }: Begin): Promise<Batch> {
  const { requests, rest } = await read(services, visit, room)
  const { displayName, file } = readGeminiBatch(rest, requests.length)
  const tenant = caller.user.id
  if (file !== undefined && !(await services.files.find(tenant, file))?.isWhole) {
    throw new GatewayError('not_found', 'There is no file with this name.', { param: 'batch.inputConfig.fileName' })
  }
  const path = `${model}:${action}`
  const wanted: Wanted = {
    ...{ operation: action === 'embedContent' ? 'embed' : 'generate', dialect: 'gemini', words: 'gemini' },
    ...{ endpoint: `/v1beta/models/${path}`, path, mayShareNames: true },
    facts: { ...(displayName !== undefined && { title: displayName }), ...(file !== undefined && { input: file }) },
    about: (place, error) => (file === undefined ? atInline(place, error) : atLine(place + 1, error)),
  }
  const questions = file === undefined ? inlineQuestions(requests, model) : fileQuestions(services.files.read(tenant, file), model)
  return make(services, visit, caller, wanted, questions)
}

/** Creates a batch, if `path` (`{model}:{action}`) is for that; undefined for other actions. */
export function geminiBatchAt(services: BatchServices, visit: Visit, path: string): Promise<Response> | undefined {
  const asked = readBatchPath(path)
  return asked && create(services, visit, asked)
}

async function create(services: BatchServices, visit: Visit, asked: Asked): Promise<Response> {
  const caller = admit(services, visit)
  demandJson(visit.request)
  const room = await services.intake.admit({ caller, bytes: declaredBytes(visit.request, undeclaredBytes) })
  try {
    return json(writeGeminiBatch(await begun(services, { visit, caller, asked, room })))
  } finally {
    room.release()
  }
}

async function list(services: BatchServices, visit: Visit): Promise<Response> {
  const { batches, hasMore } = await pageOf(services, visit, 'gemini', { after: 'pageToken', limit: 'pageSize' })
  return json(writeGeminiBatches(batches, hasMore))
}

async function* answersOf(services: BatchServices, batch: Batch): AsyncGenerator<string> {
  let isFirst = true
  for await (const result of services.batches.results(batch)) {
    yield `${isFirst ? '' : ','}${writeGeminiAnswer(result, 'metadata')}`
    isFirst = false
  }
}

async function* withAnswers(services: BatchServices, batch: Batch): AsyncGenerator<string> {
  const [before, between, behind] = aroundAnswers(batch)
  yield before
  yield* answersOf(services, batch)
  yield between
  yield* answersOf(services, batch)
  yield behind
}

const encoder = new TextEncoder()

/** A batch; its answers are streamed as they are read. */
async function shown(services: BatchServices, visit: Visit): Promise<Response> {
  const batch = await batchAt(services, visit, 'gemini')
  if (!hasAnswersInside(batch)) return json(writeGeminiBatch(batch))
  const texts = withAnswers(services, batch)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => void texts.return(undefined),
  })
  return new Response(body, { headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' } })
}

async function remove(services: BatchServices, visit: Visit): Promise<Response> {
  const { id, endedAt } = await batchAt(services, visit, 'gemini')
  if (!endedAt) throw new GatewayError('invalid_request', 'The batch is still under way. Cancel it first.')
  await services.batches.remove(id)
  return json({})
}

/** `POST .../{id}:cancel`, the only action on a batch. */
async function act(services: BatchServices, visit: Visit): Promise<Response> {
  admit(services, visit)
  const [, id, action] = /^(.*):(\w+)$/.exec(visit.params.id ?? '') ?? []
  if (id === undefined || action !== 'cancel') throw new GatewayError('not_found', 'There is no such action. Known ones: cancel.')
  visit.params = { id }
  await cancelled(services, visit, 'gemini')
  return json({})
}

/** Handlers of `/v1beta/batches`, and of `/v1/batches` for Google's clients. */
export const geminiBatchHandlers = { list, shown, remove, act }

/** `/v1beta/batches` and what is under it. */
export function geminiBatchRoutes(services: BatchServices): Route[] {
  const at = '/v1beta/batches/:id'
  const route = (method: Route['method'], path: string, handle: (services: BatchServices, visit: Visit) => Promise<Response>): Route => ({
    ...{ method, path, envelope: 'gemini', slow: path === at && method === 'GET' },
    handle: (visit) => handle(services, visit),
  })
  return [route('GET', '/v1beta/batches', list), route('GET', at, shown), route('DELETE', at, remove), route('POST', at, act)]
}
