/** Paths of the operations of an OpenAI-compatible API under its base URL; shared by every vendor with that layout. */
import type { Variant } from '#canonical/operation/operation'
import type { Dialect, Operation } from '#shared/ids'
import { cleanBase, isVersioned, modelSegment, notServed } from './address.ts'
import type { EndpointTarget } from './vendor.ts'

const generation: Partial<Record<Dialect, string>> = {
  chat: 'chat/completions',
  completions: 'completions',
  responses: 'responses',
}

const paths: Partial<Record<Operation, string>> = {
  embed: 'embeddings',
  image: 'images/generations',
  video: 'videos',
  transcribe: 'audio/transcriptions',
  speak: 'audio/speech',
  moderate: 'moderations',
  rerank: 'rerank',
  compact: 'responses/compact',
  search: 'alpha/search',
  realtime: 'realtime',
}

const variants: Partial<Record<Operation, Partial<Record<Variant, string>>>> = {
  image: { edit: 'images/edits', variation: 'images/variations' },
  // A remix adds the source's id and `remix`.
  video: { edit: 'videos/edits', extend: 'videos/extensions' },
  transcribe: { translate: 'audio/translations' },
}

/**
 * The path of an operation under an OpenAI base URL, with the query that names the model for a socket. Throws `unsupported_endpoint`
 * for an operation this layout lacks.
 */
export function openaiPath({
  operation,
  dialect,
  variant,
  model,
}: Pick<EndpointTarget, 'operation' | 'dialect' | 'variant' | 'model'>): string {
  const other = variant && variants[operation]?.[variant]
  const path = operation === 'generate' ? generation[dialect] : (other ?? paths[operation])
  if (path === undefined) throw notServed()
  if (operation !== 'realtime') return path
  if (variant === 'call') return `${path}/calls`
  // Such a session gets its model in an event.
  return variant === 'transcription' ? `${path}?intent=transcription` : `${path}?model=${modelSegment(model)}`
}

/**
 * `baseUrl` as an OpenAI SDK expects it, with `/v1` appended unless the path ends in a version (`/v1`, `/v4` and `/v1beta/openai`
 * stay). Trailing slashes, query and fragment are dropped.
 */
export function openaiBase(baseUrl: string): string {
  const base = cleanBase(baseUrl)
  return isVersioned(base) ? base : `${base}/v1`
}

/** The absolute URL of an operation. Throws `unsupported_endpoint` for one this layout lacks. */
export function openaiEndpoint(baseUrl: string, target: EndpointTarget): string {
  return `${openaiBase(baseUrl)}/${openaiPath(target)}`
}
