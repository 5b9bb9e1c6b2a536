/** The format of a kept request, by its address: a dialect, or a wording that converts to one. Pure. */
import type { WordingName } from '#canonical/wording'
import type { Dialect } from '#shared/ids'

/** The format at an address of conversations. */
export interface Spoken {
  /** The dialect, or the one that the wording converts to. */
  dialect: Dialect
  wording?: WordingName
}

/** The playground's own address. */
export const playground = '/pg/chat/completions'

/** Replaces a value that was not stored. */
export const blanked = '***'

/**
 * The canonical endpoint of an address for other vendors' clients, with the model that the address names. Blanked parameters are removed.
 */
export function endpointOf(address: string): { path: string; query: string; named?: string } {
  const [path = '', asked = ''] = address.split('?', 2)
  const kept = asked.split('&').filter((one) => one !== '' && !one.endsWith(`=${blanked}`) && !one.startsWith('api-version='))
  const query = kept.length === 0 ? '' : `?${kept.join('&')}`
  const [, deployment, rest] = /^\/openai\/deployments\/(.+?)\/((?:chat\/)?completions|embeddings|images\/\w+|audio\/\w+)$/.exec(path) ?? []
  if (deployment !== undefined) return { path: `/v1/${rest}`, query, named: decodeURIComponent(deployment) }
  const [, behind] = /^\/(?:openai\/v1|v1beta\/openai|openai)\/(.+)$/.exec(path) ?? []
  return { path: behind === undefined ? path : `/v1/${behind}`, query }
}

const spokenAtPath: Readonly<Record<string, Spoken>> = {
  [playground]: { dialect: 'chat' },
  '/v1/chat/completions': { dialect: 'chat' },
  '/v1/completions': { dialect: 'completions' },
  '/v1/responses': { dialect: 'responses' },
  '/v1/responses/compact': { dialect: 'responses' },
  '/v1/messages': { dialect: 'messages' },
  '/v1/interactions': { dialect: 'responses', wording: 'interaction' },
  '/v1beta/interactions': { dialect: 'responses', wording: 'interaction' },
  '/ollama/api/chat': { dialect: 'chat', wording: 'ollama-chat' },
  '/ollama/api/generate': { dialect: 'chat', wording: 'ollama-generate' },
}

/** Undefined: the path is not for conversations. */
export function spokenAt(path: string): Spoken | undefined {
  if (/^\/v1(?:beta)?\/models\/.+:(?:generate|streamGenerate)Content$/.test(path)) return { dialect: 'gemini' }
  const [, stream] = /^\/model\/[^/]+\/converse(-stream)?$/.exec(path) ?? ['']
  if (/^\/model\/[^/]+\/converse(-stream)?$/.test(path)) return { dialect: 'messages', wording: stream ? 'converse-stream' : 'converse' }
  return spokenAtPath[path]
}
