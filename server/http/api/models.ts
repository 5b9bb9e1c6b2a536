/**
 * Lists of models and single models, in the format of the caller's protocol. Three protocols share `/v1/models`: a request
 * with a version header or `x-api-key` gets the Messages format, one with Google's key carriers Gemini's, any other OpenAI's.
 */
import type { Caller, Sender } from '#accounts/caller'
import { isWholeFor } from '#billing/pricing/cost'
import type { Price, PriceBook } from '#billing/pricing/price'
import { errorResponse, jsonText } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { spokenIn } from '#http/request/spoken'
import { modelWriters, namesGeminiAction } from '#protocols/index'
import type { Channel, Channels } from '#routing/channel'
import { modelNotFound, serves } from '#routing/plan'
import { GatewayError } from '#shared/errors'
import { type Operation, operations, servedBy } from '#shared/ids'
import { admit } from './relay-route.ts'

/** A format of lists. */
type Format = keyof typeof modelWriters

/** What the model endpoints need from the program. */
export interface ModelServices {
  accounts: { admitKey(secret: string, from: Sender): Caller }
  channels: Channels
  prices: PriceBook
  /** Seconds since the epoch; reported as `created` of every model, since vendors do not report it. */
  startedAt: number
  /** Serves the operation of this name, under any model. */
  operation?(visit: Visit, name: string): Promise<Response>
}

/** What a model can do: the union over the channels that offer it. */
export function operationsOf(id: string, offering: readonly Channel[]): Operation[] {
  const can = ({ models, operations }: Channel, operation: Operation) => {
    const model = models.get(id)
    return model !== undefined && operations.includes(operation) && serves(model, operation)
  }
  return operations.filter((operation) => offering.some((channel) => can(channel, operation)))
}

/** Those of its operations that its price covers. */
export const pricedOperations = (price: Price | undefined, id: string, offering: readonly Channel[]): Operation[] =>
  operationsOf(id, offering).filter((operation) => isWholeFor(price, operation))

/** The models that a caller may use, and the facts about one. */
export function modelsFor(services: ModelServices) {
  const priced = ({ group }: Caller, model: string) =>
    pricedOperations(services.prices.get(model), model, services.channels.offering(group.name, model))

  const offered = (caller: Caller) =>
    services.channels
      .modelsOf(caller.group.name)
      .filter((model) => priced(caller, model).length > 0 && (caller.models === null || caller.models.has(model)))

  function entry(caller: Caller, id: string) {
    const offering = services.channels.offering(caller.group.name, id)
    const capabilities = offering[0]?.models.get(id)?.capabilities ?? {}
    const { contextTokens, maxOutputTokens } = capabilities
    // Only Google's format reports this. A channel that serves only text completions cannot hold a conversation.
    const converses = offering.some(({ speaks }) => servedBy.gemini.some((dialect) => speaks.includes(dialect)))
    return {
      id,
      operations: priced(caller, id).filter((operation) => operation !== 'generate' || converses),
      capabilities,
      created: services.startedAt,
      ownedBy: 'parley',
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    }
  }

  return { offered, entry }
}

/** Model lists and single models under `/v1/models`, `/v1beta/models` and `/v1beta/openai/models`. */
export function modelRoutes(services: ModelServices): Route[] {
  const { offered, entry } = modelsFor(services)

  function list(visit: Visit, format: Format): Response {
    const caller = admit(services, visit)
    const models = offered(caller).map((id) => entry(caller, id))
    const query = visit.url.searchParams
    switch (format) {
      case 'chat':
        return jsonText(modelWriters.chat.writeModelList(models, query.get('after')))
      case 'messages':
        return jsonText(modelWriters.messages.writeModelList(models, modelWriters.messages.readModelPage(query)))
      case 'gemini':
        return jsonText(
          modelWriters.gemini.writeModelList(models, {
            pageSize: query.get('pageSize') ?? undefined,
            pageToken: query.get('pageToken') ?? undefined,
          }),
        )
    }
  }

  function onlyPost({ requestId }: Visit): Response {
    const response = errorResponse(new GatewayError('method_not_allowed', 'This address takes POST.'), 'gemini', requestId)
    response.headers.set('allow', 'POST')
    return response
  }

  function detail(visit: Visit, format: Format): Response | Promise<Response> {
    const caller = admit(services, visit)
    const named = visit.params['*'] ?? ''
    const operation = format === 'gemini' ? /\/operations\/([^/]+)$/.exec(named)?.[1] : undefined
    if (operation !== undefined && services.operation) return services.operation(visit, operation)
    const model = format === 'gemini' ? named.replace(/^models\//, '') : named
    if (!offered(caller).includes(model)) {
      if (namesGeminiAction(model)) return onlyPost(visit)
      throw modelNotFound()
    }
    return jsonText(modelWriters[format].writeModel(entry(caller, model)))
  }

  const get = (
    path: string,
    envelope: Format | typeof spokenIn,
    handle: (visit: Visit, format: Format) => Response | Promise<Response>,
  ): Route => ({
    method: 'GET',
    path,
    envelope,
    serves: ({ pathname }) => !namesGeminiAction(pathname),
    handle: (visit) => handle(visit, typeof envelope === 'function' ? envelope(visit) : envelope),
  })
  return [
    get('/v1/models', spokenIn, list),
    get('/v1/models/*', spokenIn, detail),
    get('/v1beta/models', 'gemini', list),
    get('/v1beta/models/*', 'gemini', detail),
    get('/v1beta/openai/models', 'chat', list),
  ]
}
