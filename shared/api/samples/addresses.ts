/** Samples of the addresses at which clients of other services look for the same endpoints. */
import { bearer, get, post, type Sample } from '../sample.ts'

const question = '{"model": "parley-demo", "messages": [{"role": "user", "content": "Hello"}]}'
const azureKey = '-H "api-key: $PARLEY_KEY"'

const under = (prefix: '/openai' | '/v1beta/openai', key: string): Sample[] => [
  {
    route: `GET ${prefix}/{path}`,
    language: 'sh',
    text: get(`${prefix}/models/parley-demo`, key),
    prints: 'text',
    shows: '"id":"parley-demo"',
  },
  {
    route: `POST ${prefix}/{path}`,
    language: 'sh',
    text: post(`${prefix}/chat/completions`, question, { key }),
    prints: 'text',
    shows: '"chat.completion"',
  },
  {
    route: `DELETE ${prefix}/{path}`,
    language: 'sh',
    text: `curl -s -X DELETE "$PARLEY_URL${prefix}/responses/resp_of_nobody" ${key}`,
    prints: 'json',
    shows: '"not_found"',
    refusal: 'not_found',
    note: 'There is no such response.',
  },
]

/** In the order in which they run. */
export const addressSamples: readonly Sample[] = [
  {
    route: 'POST /openai/deployments/{model}/{operation}',
    language: 'sh',
    text: post('/openai/deployments/parley-demo/chat/completions?api-version=2026-10-21', question, { key: azureKey }),
    prints: 'text',
    shows: '"chat.completion"',
  },
  ...under('/openai', azureKey),
  ...under('/v1beta/openai', bearer),
]
