/** Metrics for Prometheus, on a port of their own or behind a token on the main one. */
import { errorResponse, json } from '#http/request/respond'
import type { Route } from '#http/request/route'
import { equalSecrets } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'

/** The metrics as text. */
export interface MetricsText {
  text(): Promise<string>
  contentType: string
}

const path = '/metrics'
const answer = async ({ text, contentType }: MetricsText) =>
  new Response(await text(), { headers: { 'content-type': contentType, 'cache-control': 'no-store' } })

/** `GET /metrics` on the main port, for `Authorization: Bearer TOKEN`. */
export function metricsRoute(metrics: MetricsText, token: string): Route {
  return {
    method: 'GET',
    path,
    envelope: 'chat',
    handle({ request }) {
      const [, given] = /^bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
      if (given === undefined || !equalSecrets(given, token)) {
        throw new GatewayError('invalid_api_key', 'The token of PARLEY_METRICS is missing or wrong.')
      }
      return answer(metrics)
    },
  }
}

/** The handler of the separate metrics port: anyone who can reach it may read them. */
export function metricsApp(metrics: MetricsText): (request: Request) => Promise<Response> {
  return async (request) => {
    if (new URL(request.url).pathname !== path) {
      return errorResponse(new GatewayError('not_found', 'There is nothing at this address. Metrics are at /metrics.'), 'chat')
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const refusal = errorResponse(new GatewayError('method_not_allowed', 'This address does not take this method.'), 'chat')
      refusal.headers.set('allow', 'GET')
      return refusal
    }
    return answer(metrics).catch(() => json({ error: { message: 'The metrics could not be written.' } }, 500))
  }
}
