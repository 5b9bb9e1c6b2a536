/**
 * The endpoints of Ollama's clients, under `/ollama/api`: the console's own are under `/api`. A client is configured with Parley's address
 * plus `/ollama` as its host. Conversations are converted to Chat, embeddings to OpenAI's.
 */

import type { WordingName } from '#canonical/wording'
import { readJson } from '#http/request/read-body'
import { jsonText } from '#http/request/respond'
import type { Method, Route, Visit } from '#http/request/route'
import { ollamaModels } from '#protocols/wordings'
import { modelNotFound } from '#routing/plan'
import { GatewayError } from '#shared/errors'
import { type ModelServices, modelsFor } from './models.ts'
import { answer } from './operation-route.ts'
import { admit, generate, type RelayServices, senderOf } from './relay-route.ts'

/** What these endpoints need from the program. */
export type OllamaServices = RelayServices & Pick<ModelServices, 'channels' | 'prices' | 'startedAt'>

/** Reported to clients that check the version for supported calls. */
const version = '0.12.0'

/** Methods of unserved calls, which add and remove models. */
const methods: readonly Method[] = ['POST', 'DELETE']

/** Everything under `/ollama/api`. */
export function ollamaRoutes(services: OllamaServices): Route[] {
  const { offered, entry } = modelsFor(services)
  const route = (method: Method, path: string, handle: Route['handle'], slow = false): Route => ({
    ...{ method, path: `/ollama/api/${path}`, envelope: 'ollama' as const, handle },
    ...(slow && { slow }),
  })
  const conversation = (path: string, wording: WordingName) =>
    route('POST', path, (visit) => generate(services, visit, { dialect: 'chat', wording }), true)
  const embeds = (path: string, wording: WordingName) =>
    route('POST', path, (visit) => answer(services, visit, { operation: 'embed', style: 'openai', wording }), true)

  function tags(visit: Visit): Response {
    const caller = admit(services, visit)
    return jsonText(ollamaModels.writeTags(offered(caller).map((id) => entry(caller, id))))
  }

  async function show(visit: Visit): Promise<Response> {
    const caller = admit(services, visit)
    const as = { operation: 'generate', dialect: 'chat' } as const
    const { content, large } = await readJson(visit.request, services, { caller: senderOf(caller), as })
    large?.release()
    const id = ollamaModels.readShow(String(content))
    if (!offered(caller).includes(id)) throw modelNotFound()
    return jsonText(ollamaModels.writeShow(entry(caller, id)))
  }

  function known(visit: Visit, body: object): Response {
    admit(services, visit)
    return jsonText(JSON.stringify(body))
  }

  return [
    conversation('chat', 'ollama-chat'),
    conversation('generate', 'ollama-generate'),
    embeds('embed', 'ollama-embed'),
    embeds('embeddings', 'ollama-embeddings'),
    route('GET', 'tags', tags),
    route('POST', 'show', show),
    route('GET', 'ps', (visit) => known(visit, { models: [] })),
    route('GET', 'version', (visit) => known(visit, { version })),
    ...methods.map((method) =>
      route(method, '*', (visit) => {
        admit(services, visit)
        throw new GatewayError('unsupported_here', 'Parley does not serve this. Models are added by its administrators, as channels.')
      }),
    ),
  ]
}
