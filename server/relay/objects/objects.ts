/**
 * Objects in an upstream's account: one request to one of their endpoints, from its limits and hold to its row. A created object is
 * recorded before its id is returned; later requests with the id go to the channel and key that created it, and only its owner's do. Start
 * reading at `createObjects`.
 */
import type { Head } from '#canonical/codec'
import { keptFileIn } from '#canonical/kept-file'
import { idAt, idOf, modelIn, nonTextIn, readObjectBody, readObjectFields, usageOf } from '#protocols/objects'
import type { Ask } from '#relay/contract/ask'
import type { ObjectAsk, ObjectContent, ServeObject } from '#relay/contract/objects'
import type { Arrival, Hold, InFlightRequest, ModelCandidates } from '#relay/contract/steps'
import { type Attempt, createAttemptLog, tryCandidates } from '#relay/pipeline/attempt'
import { accountsOf, takeHold, takeTicket } from '#relay/spend/hold'
import { openSettlement, recordRefusal } from '#relay/spend/settle'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import { phaseLimits } from '#upstream/timeouts'
import { dialectOf } from '#vendors/account-objects'
import { choose } from './choosing.ts'
import { copiesFor, demandFiles, inCallersIds } from './copies.ts'
import { listed } from './listing.ts'
import type { ObjectOutcome, ObjectParts, ObjectRequest } from './request.ts'
import { headersOf, named, pathOf, written } from './rewritten.ts'
import { call, isJson, type ObjectAnswer } from './sending.ts'

/** Seconds until an upstream must begin to answer. */
const patience = 120
const nobodyElse = { error: [], context: [], filter: [] }

export function createObjects(parts: ObjectParts): ServeObject {
  return async (given) => {
    const arrival = arrivalOf(parts, given)
    const attempts = createAttemptLog(parts.beginTrace?.(given.requestId, given.headers))
    let release: (() => void) | undefined
    let models: ModelCandidates | undefined
    let hold: Hold | undefined
    let ticket: Awaited<ReturnType<typeof takeTicket>> | undefined
    let request: ObjectRequest
    const head: Head = { ...emptyHead }
    const asked = {
      ask: arrival.ask,
      head,
      inOrder: async (all: readonly Candidate[]) => all,
      served: () => undefined,
      exchange: neverAsked,
    }
    try {
      const body = await given.body()
      release = body?.release
      request = requestOf(given, body?.content)
      models = await modelsOf(parts, request)
      if (models.model !== '')
        Object.assign(head, { model: models.model, inputBytes: sizeOf(request.content), ...nonTextIn(request.parsed.value) })
      ticket = await takeTicket(parts, asked)
      if (given.endpoint.method === 'POST') await parts.books.affords(accountsOf(given.caller, arrival.at.getTime()))
      hold = takeHold(parts, arrival, asked, { asked: models, instead: nobodyElse }, ticket)
      await hold.ready
    } catch (thrown) {
      release?.()
      throw await recordRefusal(parts, arrival, { request: asked, price: models?.price, ticket }, thrown)
    }
    const settlement = openSettlement(parts, { arrival, request: asked, models: { asked: models, instead: nobodyElse }, hold, attempts })
    try {
      const outcome = await (given.endpoint.does === 'list' ? listed(parts, request) : asking(parts, request, models, attempts, head.model))
      const { candidate, value, losses, ...reply } = outcome
      const usage = usageOf(value, given.endpoint.does === 'create' && models.model !== '')
      const served = candidate && { candidate, exchange: {} }
      await settlement.settle({
        end: 'complete',
        status: reply.status,
        error: undefined,
        usage,
        served,
        losses,
        firstAt: undefined,
        streamedMs: 0,
      })
      return { ...reply, losses, left: hold.ticket.left }
    } catch (thrown) {
      throw await settlement.refuse(thrown)
    } finally {
      release?.()
    }
  }
}

/** One call, to the first candidate that answers. Created objects are recorded, deleted ones are forgotten. */
async function asking(
  parts: ObjectParts,
  request: ObjectRequest,
  { candidates }: ModelCandidates,
  attempts: ReturnType<typeof createAttemptLog>,
  name: string,
): Promise<ObjectOutcome> {
  const { ask } = request
  const { candidate, value: answer } = await tryCandidates({
    ...{ parts, candidates, model: name, attempts },
    // Aborting a creation because the client disconnects would leave an object without a recorded owner.
    signal: ask.endpoint.method === 'GET' ? ask.signal : new AbortController().signal,
    limits: ({ channel }) => phaseLimits(channel.timeouts, patience),
    prepare: async (one) => (attempt: Attempt) => askOne(parts, request, one, attempt),
  })
  const answered = ask.endpoint.api === 'gemini' ? named(answer, candidate) : answer
  await noteOwner(parts, request, candidate, answered)
  const text =
    answered.text === undefined || ask.endpoint.api !== 'openai'
      ? answered.text
      : await inCallersIds(parts, ask.caller.user.id, answered.text)
  return {
    candidate,
    value: answered.value,
    status: answer.status,
    // Uploaded HTML must not be served as a page of Parley's own origin.
    contentType: isJson(answer.headers) ? 'application/json' : 'application/octet-stream',
    body: text ?? answer.pieces,
    losses: [],
    headers: headersOf(answer),
  }
}

async function askOne(parts: ObjectParts, { ask, content, parsed, object }: ObjectRequest, candidate: Candidate, attempt: Attempt) {
  const { endpoint, caller, upload } = ask
  const kept = [...parsed.keptFiles, ...(keptFileIn(ask.part) === undefined || ask.part === undefined ? [] : [ask.part])]
  try {
    const copies = await copiesFor(parts, caller.user.id, candidate, kept, attempt.timer)
    const path = pathOf(ask, object, copies)
    const sent = content && written(content, parsed, candidate, copies)
    const answer = await call(
      parts,
      candidate,
      { ...endpoint, path, content: sent, headers: ask.headers, ...(upload && { upload }) },
      attempt.timer,
    )
    attempt.row.status = answer.status
    return answer
  } finally {
    attempt.timer.stop()
  }
}

async function noteOwner(
  parts: ObjectParts,
  { ask, object }: ObjectRequest,
  { channel, key }: Candidate,
  { value }: ObjectAnswer,
): Promise<void> {
  const { endpoint, caller } = ask
  const tenant = caller.user.id
  const { objects } = parts.reasoningState
  if (endpoint.does === 'delete' && object) {
    await objects.gone(tenant, object)
    parts.reasoningState.deleted(tenant, [object])
  }
  if (endpoint.does !== 'create') return
  const id = idOf(endpoint.api, value)
  if (id === undefined) throw new GatewayError('upstream_error', 'The upstream created an object without returning its id.')
  try {
    await objects.made(tenant, endpoint.api, { kind: endpoint.kind, id }, { channel: channel.id, key: key?.id ?? null })
  } catch (thrown) {
    parts.log.warn(
      { requestId: ask.requestId, channel: channel.name, object: id },
      'an object was made at an upstream, and its owner could not be written',
    )
    throw thrown
  }
}

function requestOf(ask: ObjectAsk, content: ObjectContent | undefined): ObjectRequest {
  const { endpoint, id } = ask
  const object = id === undefined ? undefined : { kind: endpoint.kind, id: idAt(endpoint.kind, id) }
  const workspace = ask.headers.get('anthropic-workspace-id')
  const inAddress = [...ask.query, ...(workspace === null ? [] : [['workspace_id', workspace] as const])].map(([name, value]) => ({
    name,
    value,
  }))
  if (content && 'text' in content) {
    const parsed = readObjectBody(endpoint.api, content.text)
    return { ask, content, parsed: { ...parsed, refs: [...parsed.refs, ...readObjectFields(inAddress).refs] }, object }
  }
  const fields = content && 'form' in content ? content.form.parts.flatMap((one) => ('value' in one ? [one] : [])) : []
  return { ask, content, parsed: readObjectFields([...fields, ...inAddress]), object }
}

async function modelsOf(parts: ObjectParts, { ask, parsed, object }: ObjectRequest): Promise<ModelCandidates> {
  const { endpoint, caller } = ask
  if (endpoint.api === 'gemini' && parsed.keptFiles.length > 0) {
    const instead =
      endpoint.kind === 'file-search-store'
        ? 'Upload the file to the store itself: `uploadToFileSearchStore`.'
        : 'Send its bytes as inlineData.'
    throw new GatewayError('unsupported_here', `This file is stored by Parley, not by the upstream. ${instead}`)
  }
  const model = endpoint.does === 'create' && endpoint.kind === 'cached-content' ? modelIn(parsed.value) : undefined
  const chosen = await choose(parts, ask, [...(object ? [object] : []), ...parsed.refs], model)
  await demandFiles(parts, caller.user.id, parsed.keptFiles)
  return chosen
}

const sizeOf = (content: ObjectContent | undefined): number => (content && 'text' in content ? Buffer.byteLength(content.text) : 0)

const emptyHead = { model: '', stream: false, n: 0, inputBytes: 0, usageAsked: false, media: [], searchAsked: false, affinity: [] }

const neverAsked = () => Promise.reject(new Error('an object has no exchange'))

/** The request in the form that the hold and settlement steps take. */
function arrivalOf({ clock, open }: ObjectParts, { requestId, caller, endpoint, headers, signal }: ObjectAsk): Arrival {
  const dialect = endpoint.api === 'openai' ? 'openai' : dialectOf[endpoint.api]
  const ask: Ask = { requestId, caller, operation: 'state', dialect, bytes: 0, body: neverAsked, headers, strict: false, signal }
  open.count += 1
  const flight: InFlightRequest = {
    signal,
    hangUp: () => undefined,
    making: () => undefined,
    left: () => false,
    asksFor: () => undefined,
    keeps: () => undefined,
    leave: () => {
      open.count -= 1
    },
  }
  return { ask, at: new Date(clock.now()), tick: clock.monotonic(), flight }
}
