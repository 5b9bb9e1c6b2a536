/** Where the operations of an OpenAI-shaped API live under its base URL; shared by every vendor that copies that layout. */
import { GatewayError } from '#shared/errors'
import type { Dialect, Operation } from '#shared/ids'
import type { EndpointTarget } from './vendor.ts'

const generation: Partial<Record<Dialect, string>> = {
  chat: 'chat/completions',
  completions: 'completions',
  responses: 'responses',
}

const paths: Partial<Record<Operation, string>> = {
  embed: 'embeddings',
  image: 'images/generations',
  transcribe: 'audio/transcriptions',
  speak: 'audio/speech',
  moderate: 'moderations',
}

/**
 * `baseUrl` as an OpenAI SDK would be given it, with `/v1` added when the path does not end in a version of its own
 * (`/v1`, `/v4` and `/v1beta/openai` stay as they are). Slashes at the end, query and fragment are dropped.
 */
export function openaiBase(baseUrl: string): string {
  const url = new URL(baseUrl)
  const path = url.pathname.replace(/\/+$/, '')
  const versioned = /\/v\d+[a-z0-9]*(\/openai)?$/.test(path)
  return `${url.origin}${path}${versioned ? '' : '/v1'}`
}

/** The absolute URL of an operation. Throws `unsupported_endpoint` for one that this layout does not have. */
export function openaiEndpoint(baseUrl: string, target: EndpointTarget): string {
  const path = target.operation === 'generate' ? generation[target.dialect] : paths[target.operation]
  if (path === undefined) throw new GatewayError('unsupported_endpoint', 'This channel does not serve the requested operation.')
  return `${openaiBase(baseUrl)}/${path}`
}
