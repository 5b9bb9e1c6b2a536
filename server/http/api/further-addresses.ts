/**
 * The same endpoints under the addresses of other clients: those of Azure (`/openai/v1/...`, `/openai/...?api-version=`
 * and `/openai/deployments/{model}/...`) and Google's for OpenAI's clients (`/v1beta/openai/...`). Each request is forwarded to the route
 * of the endpoint itself. Azure's clients send their key as `api-key`, which counts at their addresses only.
 */
import { errorResponse } from '#http/request/respond'
import { type Addressed, allowed, type Method, type Route, type Visit } from '#http/request/route'
import { GatewayError } from '#shared/errors'
import { admit, type RelayServices } from './relay-route.ts'
import { unservedEndpoint } from './unserved-endpoints.ts'

/** A route with its address as a pattern. */
interface Target {
  route: Route
  at: RegExp
}

const methods: readonly Method[] = ['GET', 'POST', 'DELETE']
/** Azure's operations on a deployment; the longer of two with the same ending first. */
const ofDeployment =
  /^(.+?)\/(chat\/completions|completions|embeddings|images\/(?:generations|edits)|batches|audio\/(?:speech|transcriptions|translations))$/

/** Routes under `/v1` that speak OpenAI's dialects, the exact addresses first. */
function targetsAmong(routes: readonly Route[]): Target[] {
  const targets = routes
    .filter(({ path, envelope }) => path.startsWith('/v1/') && (envelope === 'chat' || typeof envelope === 'function'))
    .map((route): Target => {
      const pattern = route.path
        .slice('/v1/'.length)
        .replace(/:(\w+)/g, '(?<$1>[^/]+)')
        .replace('*', '(?<rest>.+)')
      return { route, at: new RegExp(`^${pattern}$`) }
    })
  return targets.sort((a, b) => Number(/[:*]/.test(a.route.path)) - Number(/[:*]/.test(b.route.path)))
}

function notAllowed(visit: Visit, targets: readonly Target[], text = 'This address does not take this method.'): Response {
  const refusal = new GatewayError('method_not_allowed', text)
  const response = errorResponse(refusal, 'chat', visit.requestId)
  response.headers.set(
    'allow',
    allowed(
      targets.map(({ route }) => route),
      visit.url,
    ),
  )
  return response
}

const nothing = () => new GatewayError('not_found', 'There is nothing at this address.')

/** `/openai/*`, `/openai/deployments/*` and `/v1beta/openai/*`, answered by those among `routes` that speak OpenAI's dialects. */
export function furtherAddresses(services: Pick<RelayServices, 'accounts'>, routes: readonly Route[]): Route[] {
  const targets = targetsAmong(routes)

  /** Goes to the route that serves `rest` of the address. */
  function forward(visit: Visit, rest: string, addressed: Addressed): Response | Promise<Response> {
    visit.addressed = addressed
    admit(services, visit)
    const fitting = targets.filter(({ at }) => at.test(rest))
    const target = fitting.find(({ route }) => route.method === visit.request.method)
    if (!target) {
      const unserved = unservedEndpoint(visit.request, visit.url)
      if (fitting.length > 0) return notAllowed(visit, fitting, unserved?.isMethod ? unserved.error.message : undefined)
      throw unserved?.error ?? nothing()
    }
    const { rest: wild, ...named } = target.at.exec(rest)?.groups ?? {}
    visit.params = { ...named, ...(wild !== undefined && { '*': wild }) }
    return target.route.handle(visit)
  }

  const azure = (visit: Visit) => forward(visit, (visit.params['*'] ?? '').replace(/^v1\//, ''), { keyHeader: 'api-key' })
  const google = (visit: Visit) => forward(visit, visit.params['*'] ?? '', {})

  function deployment(visit: Visit): Response | Promise<Response> {
    const [, model, rest] = ofDeployment.exec(visit.params['*'] ?? '') ?? []
    if (model === undefined || rest === undefined) return azure(visit)
    // Each of its requests names a model.
    if (rest === 'batches') return forward(visit, rest, { keyHeader: 'api-key' })
    return forward(visit, rest, { keyHeader: 'api-key', model: { rule: 'engine', name: model } })
  }

  /** Whether one of the target routes takes this method; also true where there is none, which is a 404. */
  const serves = (method: Method, url: Pick<URL, 'pathname'>): boolean => {
    const rest = url.pathname.replace(/^\/(?:v1beta\/openai|openai\/v1|openai)\//, '')
    const fitting = targets.filter(({ at }) => at.test(rest))
    return fitting.length === 0 || fitting.some(({ route }) => route.method === method && route.serves?.(url) !== false)
  }

  const under = (path: string, handle: Route['handle'], taken = methods): Route[] =>
    taken.map((method) => ({
      ...{ method, path, envelope: 'chat', slow: true },
      serves: (url) => serves(method, url),
      // `async`: a thrown error must become a rejection, which is answered in the envelope.
      handle: async (visit) => handle(visit),
    }))
  return [...under('/openai/*', azure), ...under('/openai/deployments/*', deployment, ['POST']), ...under('/v1beta/openai/*', google)]
}
