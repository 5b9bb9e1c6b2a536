/**
 * Addresses that vendors' SDKs call and Parley does not serve. They get a refusal that says what would be needed, in the envelope of
 * their protocol, so that it is not mistaken for a mistyped address. Served addresses never reach this list.
 */

import type { Envelope } from '#http/request/route'
import { spokenIn } from '#http/request/spoken'
import { GatewayError } from '#shared/errors'

/** Addresses by prefix (after the version), and their refusal. */
interface Endpoint {
  at: RegExp
  /** Only with these methods; absent: with any. */
  on?: readonly string[]
  /** What the address is for; absent where it is obvious. */
  what?: string
  /** What would be needed, or what to use instead: a sentence without its full stop. */
  needs: string
}

const inOneAccount = 'It is tied to the account of one upstream: use that upstream’s own address and key'
const runsThere =
  'It runs models and tools for hours in the account of one upstream, which says what that costs afterwards: nothing could be held for it. It needs that upstream’s own address and key, or your own loop over /v1/messages'
const ofTheVendor = 'It administers an account at the vendor; users, keys and usage of Parley are under /api'

/** The first match counts. */
const endpoints: readonly Endpoint[] = [
  {
    ...{ at: /^models\/[^/:]+$/, on: ['PATCH', 'DELETE'], what: 'changing or deleting models' },
    needs:
      'Models are offered by channels, which administrators change under /api/channels; a tuned model is tied to the account of its upstream',
  },
  { at: /^videos\/characters$/, on: ['POST'], what: 'characters of videos', needs: inOneAccount },
  { at: /^chat\/completions$/, on: ['GET'], what: 'stored chat completions', needs: 'Use /v1/responses, which stores answers' },
  {
    at: /^agents\/[^/]+$/,
    on: ['DELETE'],
    what: 'deleting agents',
    needs: 'One of Anthropic’s is archived: POST /v1/agents/{id}/archive. Others are tied to the account of one upstream',
  },
  { at: /^files(\/|$)/, what: 'a store of files', needs: 'Send the file in the request itself, as base64 or by a public address' },
  { at: /^batches(\/|$)/, what: 'other calls of batches', needs: 'Create, read, list, cancel and delete them' },
  { at: /^realtime(\/|$)/, what: 'other calls of realtime', needs: 'Open the WebSocket at /v1/realtime with the API key' },
  { at: /^live(\/|$)/, what: 'live sessions', needs: 'Open the WebSocket at /v1/realtime' },
  { at: /^responses\//, what: 'other calls of Responses', needs: 'Create, read, delete and list input items at /v1/responses' },
  { at: /^chat\/completions\//, what: 'stored chat completions', needs: 'Use /v1/responses, which stores answers' },
  { at: /^(videos|video)(\/|$)/, what: 'characters of videos', needs: inOneAccount },
  { at: /^(corpora|ragStores)(\/|$)/, what: 'searching in stored files', needs: inOneAccount },
  { at: /^environments\/[^/]+\/work(\/|$)/, what: 'work of self-hosted environments', needs: inOneAccount },
  { at: /^sandboxes(\/|$)/, what: 'sandboxes', needs: 'Create a container at /v1/containers' },
  { at: /^(agents|sessions|dreams|deployments|deployment_runs)(\/|$)/, what: 'running agents', needs: runsThere },
  { at: /^(environments|vaults|credentials|voices)(\/|$)/, needs: inOneAccount },
  { at: /^systemone$/, what: 'scores of questions', needs: 'Use /ollama/api/chat' },
  { at: /^(assistants|threads)(\/|$)/, what: 'the Assistants API', needs: 'Use /v1/responses, which replaces it' },
  { at: /^(fine_tuning|fine-tunes|evals|tunedModels|graders|decisions)(\/|$)/, what: 'training and evaluation', needs: inOneAccount },
  { at: /^(chatkit|content_provenance_checks|safety|user_profiles|webhooks|webhook_\w+)(\/|$)/, needs: inOneAccount },
  { at: /^(operations|triggers|tunnels)(\/|$)/, needs: inOneAccount },
  { at: /^(organizations?|projects)(\/|$)/, what: 'administration', needs: ofTheVendor },
  { at: /^complete$/, what: 'the former text completions of Messages', needs: 'Use /v1/messages' },
]

/** The versions that SDKs put before an address; `upload` is Google's address for files. */
const prefix = /^\/(?:v1beta\/openai\/|openai\/(?:v1\/)?|(?:upload\/|ollama\/)?(?:v1|v1beta|v1beta1|v1alpha)\/)/

/**
 * The refusal of a vendor's address that is not served here, with its envelope; undefined for any other address. `isMethod`: the
 * address is served, but not with this method.
 */
export function unservedEndpoint(request: Request, url: URL): { error: GatewayError; envelope: Envelope; isMethod: boolean } | undefined {
  const path = url.pathname
  const version = prefix.exec(path)?.[0]
  if (version === undefined) return undefined
  const rest = path.slice(version.length).replace(/\/+$/, '')
  const endpoint = endpoints.find(({ at, on }) => at.test(rest) && (on?.includes(request.method) ?? true))
  return (
    endpoint && { error: refusal(endpoint.what, endpoint.needs), envelope: envelopeOf(request, url), isMethod: endpoint.on !== undefined }
  )
}

const refusal = (what: string | undefined, needs: string) =>
  new GatewayError('unsupported_here', `Parley does not serve this${what === undefined ? '' : ` (${what})`}. ${needs}.`)

function envelopeOf(request: Request, url: URL): Envelope {
  if (url.pathname.startsWith('/ollama/')) return 'ollama'
  if (/^\/v1\/messages\//.test(url.pathname) || url.pathname === '/v1/complete') return 'messages'
  if (/^\/(?:upload\/|v1(?:beta|beta1|alpha)\/(?!openai\/))/.test(url.pathname)) return 'gemini'
  return spokenIn({ request, url })
}
