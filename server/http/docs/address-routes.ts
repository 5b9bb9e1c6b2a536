/** Descriptions of the alternative addresses that clients of other services use. */
import type { RouteDoc } from './route-doc.ts'

const verbs = { GET: 'read', POST: 'ask', DELETE: 'delete' } as const
const methods = Object.entries(verbs)
const azureKey = [
  { name: 'api-key', in: 'header', description: 'The key, as Azure’s clients send it. Any other carrier works too.' },
  { name: 'api-version', in: 'query', description: 'Accepted and ignored.' },
] as const

const azure = methods.map(
  ([method, verb]): RouteDoc => ({
    who: 'key',
    tag: 'Addresses',
    route: `${method} /openai/*`,
    summary: `Azure’s addresses: ${verb}`,
    description:
      '`/openai/v1/...` and `/openai/...` are `/v1/...` with OpenAI’s dialects: give an AzureOpenAI client Parley’s address as its endpoint.',
    parameters: azureKey,
    gives: {},
  }),
)

const google = methods.map(
  ([method, verb]): RouteDoc => ({
    who: 'key',
    tag: 'Addresses',
    route: `${method} /v1beta/openai/*`,
    summary: `Google’s addresses for OpenAI’s clients: ${verb}`,
    description: '`/v1beta/openai/...` is `/v1/...` with OpenAI’s dialects.',
    gives: {},
  }),
)

const theirs = { who: 'key', tag: 'Addresses' } as const
const lines = ['application/x-ndjson'] as const

const ollama: readonly RouteDoc[] = [
  {
    ...theirs,
    route: 'POST /ollama/api/chat',
    summary: 'Ollama: chat',
    description:
      'For Ollama clients: use Parley’s address plus `/ollama` as the host (`/api` is the console’s), and a key as the bearer token. Any model on any upstream; what Chat cannot express is reported as a loss. Lines of JSON unless `stream` is false.',
    takes: { json: 'OllamaChatRequest' },
    gives: { types: lines },
  },
  {
    ...theirs,
    route: 'POST /ollama/api/generate',
    summary: 'Ollama: answer a prompt',
    description: 'The prompt is sent as a chat message.',
    takes: { json: 'OllamaGenerateRequest' },
    gives: { types: lines },
  },
  { ...theirs, route: 'POST /ollama/api/embed', summary: 'Ollama: embeddings', takes: { json: 'OllamaEmbedRequest' }, gives: {} },
  {
    ...theirs,
    route: 'POST /ollama/api/embeddings',
    summary: 'Ollama: one embedding',
    takes: { json: 'OllamaEmbeddingsRequest' },
    gives: {},
  },
  { ...theirs, route: 'GET /ollama/api/tags', summary: 'Ollama: models', gives: {} },
  { ...theirs, route: 'POST /ollama/api/show', summary: 'Ollama: one model', takes: { json: 'OllamaShowRequest' }, gives: {} },
  { ...theirs, route: 'GET /ollama/api/ps', summary: 'Ollama: loaded models', description: 'None: models run at upstreams.', gives: {} },
  { ...theirs, route: 'GET /ollama/api/version', summary: 'Ollama: version', gives: {} },
  ...(['POST', 'DELETE'] as const).map(
    (method): RouteDoc => ({
      ...theirs,
      route: `${method} /ollama/api/*`,
      summary: `Ollama: anything else (${method})`,
      description: 'Refused with `unsupported_here`: models are added by administrators.',
      gives: {},
    }),
  ),
]

const model = 'The model is in the address; names with slashes are percent-encoded.'

const bedrock: readonly RouteDoc[] = [
  {
    ...theirs,
    route: 'POST /model/:model/converse',
    summary: 'Bedrock: Converse',
    description: `For Bedrock’s clients: Parley’s address is their endpoint, over HTTP/1.1, and its key their bearer token (\`AWS_BEARER_TOKEN_BEDROCK\`). Requests signed with AWS credentials are refused: only their owner has the secret that could verify them. Any model on any upstream; what Messages cannot express is reported as a loss. ${model}`,
    takes: { json: 'ConverseRequest' },
    gives: {},
  },
  {
    ...theirs,
    route: 'POST /model/:model/converse-stream',
    summary: 'Bedrock: ConverseStream',
    description: `Events in Amazon’s binary framing. ${model}`,
    takes: { json: 'ConverseRequest' },
    gives: { types: ['application/vnd.amazon.eventstream'] },
  },
]

/** Descriptions of further addresses. */
export const addressRouteDocs: readonly RouteDoc[] = [
  {
    who: 'key',
    tag: 'Addresses',
    route: 'POST /openai/deployments/*',
    path: '/openai/deployments/{model}/{operation}',
    summary: 'Azure’s addresses: a deployment',
    description:
      'The operation is `chat/completions`, `completions`, `embeddings`, `images/generations`, `images/edits` or one under `audio/`. The deployment is the model; a model in the body is ignored.',
    parameters: azureKey,
    gives: {},
  },
  ...azure,
  ...google,
  ...ollama,
  ...bedrock,
]
