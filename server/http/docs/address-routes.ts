/** Descriptions of the addresses at which clients of other services look for the same endpoints. */
import type { RouteDoc } from './route-doc.ts'

const verbs = { GET: 'read', POST: 'ask', DELETE: 'delete' } as const
const methods = Object.entries(verbs)
const azureKey = [
  { name: 'api-key', in: 'header', description: 'The key, as Azure’s clients send it. Any other carrier works too.' },
  { name: 'api-version', in: 'query', description: 'Accepted and not looked at.' },
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

/** Descriptions of further addresses. */
export const addressRouteDocs: readonly RouteDoc[] = [
  {
    who: 'key',
    tag: 'Addresses',
    route: 'POST /openai/deployments/*',
    path: '/openai/deployments/{model}/{operation}',
    summary: 'Azure’s addresses: ask a deployment',
    description:
      'The operation is `chat/completions`, `completions`, `embeddings`, `images/generations`, `images/edits` or one under `audio/`. The deployment is the model; a model in the body is ignored.',
    parameters: azureKey,
    gives: {},
  },
  ...azure,
  ...google,
]
