/** Samples of the alternative addresses that clients of other services use. */
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

const sample = (route: string, text: string, shows: string): Sample => ({ route, language: 'sh', text, prints: 'text', shows })
const asks = (path: string, body: string, shows: string) => sample(`POST ${path}`, post(path, body), shows)

const ollama: readonly Sample[] = [
  asks('/ollama/api/chat', '{"model": "parley-demo", "messages": [{"role": "user", "content": "Hello"}], "stream": false}', '"done":true'),
  asks('/ollama/api/generate', '{"model": "parley-demo", "prompt": "Hello"}', '"done":true'),
  asks('/ollama/api/embed', '{"model": "parley-demo-embed", "input": ["a", "b"]}', '"embeddings":[['),
  asks('/ollama/api/embeddings', '{"model": "parley-demo-embed", "prompt": "a"}', '"embedding":['),
  sample('GET /ollama/api/tags', get('/ollama/api/tags'), '"parley-demo"'),
  asks('/ollama/api/show', '{"model": "parley-demo"}', '"completion"'),
  sample('GET /ollama/api/ps', get('/ollama/api/ps'), '"models":[]'),
  sample('GET /ollama/api/version', get('/ollama/api/version'), '"version"'),
  sample('POST /ollama/api/{path}', post('/ollama/api/pull', '{"model": "parley-demo"}'), '"error"'),
  sample('DELETE /ollama/api/{path}', `curl -s -X DELETE "$PARLEY_URL/ollama/api/delete" ${bearer}`, '"error"'),
]

const turn = '{"messages": [{"role": "user", "content": [{"text": "Hello"}]}], "inferenceConfig": {"maxTokens": 200}}'

const bedrock: readonly Sample[] = [
  sample('POST /model/{model}/converse', post('/model/parley-demo/converse', turn), '"stopReason"'),
  sample('POST /model/{model}/converse-stream', post('/model/parley-demo/converse-stream', turn), 'messageStop'),
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
  ...ollama,
  ...bedrock,
]
