/** Shared by the batch endpoints of every protocol: creating, finding and listing batches. */
import type { Caller } from '#accounts/caller'
import type { Batches } from '#batches/batches'
import type { Batch, BatchFacts, BatchQuestion, BatchWords } from '#canonical/batch'
import { pageSize } from '#http/api/page-size'
import { admit, type RelayServices } from '#http/api/relay-route'
import type { Visit } from '#http/request/route'
import type { Estimate, Planned } from '#relay/admin/estimate'
import type { Intake } from '#relay/contract/body-rooms'
import type { FileStore } from '#relay/conversation/kept-files'
import { nextTurn } from '#runtime/turns'
import { GatewayError } from '#shared/errors'
import { createJsonScale } from '#wire/json-weight'

/** What the endpoints of batches need from the program. */
export interface BatchServices extends RelayServices {
  batches: Batches
  estimate: Estimate
  files: FileStore
  publicUrl: URL
  moderationModel(): string
  intake: Intake
}

/** For a batch that this user does not have. */
export const noBatch = () => new GatewayError('not_found', 'There is no batch with this id.', { param: 'batch_id' })

/** A batch to create. */
export interface Wanted extends Pick<Planned, 'operation' | 'dialect'> {
  words: BatchWords
  endpoint: string
  /** The end of the endpoint's address, where it names the model. */
  path?: string
  /** Several requests may share a name. */
  mayShareNames?: true
  facts: BatchFacts
  /** The body for its endpoint, where something must be added. */
  asked?(body: string): string
  /** An error about the request at this index, from 0 on. */
  about(place: number, error: GatewayError): GatewayError
}

/** Most JSON values of a request: a conversation of thousands of turns has fewer. */
const mostValues = 16_384

/** Throws GatewayError where parsing this request would block other requests. */
export function demandLight(request: Uint8Array): void {
  createJsonScale({ depth: 64, weight: mostValues }).push(request)
}

/** Requests processed between two yields to others. */
const turn = 20

/**
 * Creates the batch of these requests. All of them are checked first: anything that would refuse one alone refuses the batch, and so does
 * a balance insufficient for all. Nothing stays held: each request holds its maximum cost when it is sent.
 */
export async function make(
  services: BatchServices,
  visit: Visit,
  caller: Caller,
  wanted: Wanted,
  questions: AsyncIterable<BatchQuestion>,
): Promise<Batch> {
  const { operation, dialect, words, endpoint, path, facts, asked = (body) => body, about } = wanted
  if (!caller.key) throw new Error('a batch without a key')
  const open = await services.batches.open({ tenant: caller.user.id, keyId: caller.key.id, words, endpoint })
  try {
    const names = new Set<string>()
    let place = 0
    let most = 0n
    let model: string | undefined
    for await (const question of questions) {
      if (names.has(question.name))
        throw about(place, new GatewayError('invalid_value', 'The field `custom_id` must be unique within the batch.'))
      const raw = asked(question.body)
      const planned = planOf(() => services.estimate.of({ caller, operation, dialect, raw, ...(path && { path }) }), place, about)
      most += planned.most
      model ??= planned.model
      await open.add(question)
      if (!wanted.mayShareNames) names.add(question.name)
      place += 1
      if (place % turn === 0) await nextTurn()
    }
    const { requestId } = visit
    if (model !== undefined) await services.estimate.afford({ caller, operation, dialect, requestId, batch: open.id, model, most })
    return await open.close({ ...facts, ...(model !== undefined && { model }) })
  } catch (thrown) {
    await open.abandon()
    throw thrown
  }
}

function planOf<Planning>(plan: () => Planning, place: number, about: Wanted['about']): Planning {
  try {
    return plan()
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.blame === 'client') throw about(place, thrown)
    throw thrown
  }
}

/** The caller's batch that the address names, in this format. Rejects with `not_found`. */
export async function batchAt(services: BatchServices, visit: Visit, words: BatchWords): Promise<Batch> {
  const tenant = admit(services, visit).user.id
  const batch = await services.batches.find(visit.params.id ?? '', tenant)
  if (batch?.words !== words) throw noBatch()
  return batch
}

/** Cancels the batch and resolves to it; an ended one is unchanged. */
export async function cancelled(services: BatchServices, visit: Visit, words: BatchWords): Promise<Batch> {
  const batch = await batchAt(services, visit, words)
  if (batch.endedAt) return batch
  const asked = await services.batches.cancel(batch.id)
  if (!asked) throw noBatch()
  return asked
}

/** The query parameters of a list. */
interface PageNames {
  after: string
  before?: string
  /** `limit` when absent. */
  limit?: string
}

/** A page of the caller's batches, newest first. Rejects with `invalid_value` for an id that is not in the list. */
export async function pageOf(services: BatchServices, visit: Visit, words: BatchWords, names: PageNames) {
  const tenant = admit(services, visit).user.id
  const query = visit.url.searchParams
  const limit = pageSize(query.get(names.limit ?? 'limit'))
  const before = names.before === undefined ? null : query.get(names.before)
  const id = before ?? query.get(names.after)
  const edge = id === null ? undefined : await services.batches.find(id, tenant)
  if (id !== null && !edge) throw new GatewayError('invalid_value', 'There is no batch with this id in this list.', { param: names.after })
  const bounds = { tenant, envelope: words, most: limit + 1, ...(edge && { after: edge }), ...(before !== null && { isOldestFirst: true }) }
  const found = await services.batches.list(bounds)
  const shown = found.slice(0, limit)
  return { batches: before === null ? shown : shown.reverse(), hasMore: found.length > limit }
}
