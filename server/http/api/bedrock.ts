/**
 * Bedrock's Converse and ConverseStream for its own clients, converted to Messages. Their credential is a bearer key, as in
 * `AWS_BEARER_TOKEN_BEDROCK`: a signature could only be verified with the secret that made it.
 */
import type { WordingName } from '#canonical/wording'
import type { Route, Visit } from '#http/request/route'
import { GatewayError } from '#shared/errors'
import { generate, type RelayServices } from './relay-route.ts'

const signed = /^AWS4-/i

/** The version of Messages that Converse is converted to. */
const messagesHeaders = new Headers({ 'anthropic-version': '2023-06-01' })

function ask(services: RelayServices, visit: Visit, wording: WordingName): Promise<Response> {
  const { request, url, params } = visit
  if (signed.test(request.headers.get('authorization') ?? '') || url.searchParams.has('X-Amz-Signature')) {
    throw new GatewayError(
      'invalid_api_key',
      'Parley cannot verify requests that are signed with AWS credentials. Send its key as a bearer token: AWS_BEARER_TOKEN_BEDROCK.',
    )
  }
  visit.addressed = { model: { rule: 'engine', name: params.model ?? '' } }
  return generate(services, visit, { dialect: 'messages', wording, headers: messagesHeaders })
}

/** `/model/{model}/converse` and `/model/{model}/converse-stream`. */
export function bedrockRoutes(services: RelayServices): Route[] {
  const route = (path: string, wording: WordingName): Route => ({
    method: 'POST',
    path: `/model/:model/${path}`,
    envelope: 'converse',
    slow: true,
    handle: async (visit) => ask(services, visit, wording),
  })
  return [route('converse', 'converse'), route('converse-stream', 'converse-stream')]
}
