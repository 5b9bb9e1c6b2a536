/** Google's Gemini API (the one with API keys; the cloud's is `vertex.ts`). Paths and actions: docs/mapping.md 1.5. */
import { cleanBase, isVersioned, modelSegment, notServed } from './address.ts'
import { geminiFacts } from './models/gemini.ts'
import type { EndpointTarget, Vendor } from './vendor.ts'

/** The action after the model's name, with its query: a stream is a JSON array unless server-sent events are requested. */
export function geminiAction({ operation, stream, variant }: Pick<EndpointTarget, 'operation' | 'stream' | 'variant'>): string {
  if (operation === 'embed') return variant === 'batch' ? 'batchEmbedContents' : 'embedContent'
  if (operation === 'speak') return 'generateContent'
  if (operation === 'image') return variant === 'predict' ? 'predict' : 'generateContent'
  if (operation === 'video') return 'predictLongRunning'
  if (operation === 'count-tokens') return 'countTokens'
  if (operation !== 'generate') throw notServed()
  return stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
}

/** Tuned models have a collection of their own; Google writes names with a `models/` prefix. */
function resource(model: string): string {
  const [, collection = 'models', name = model] = /^(models|tunedModels)\/(.+)$/.exec(model) ?? []
  return `${collection}/${modelSegment(name)}`
}

function endpoint(baseUrl: string, target: EndpointTarget): string {
  if (target.dialect !== 'gemini') throw notServed()
  const base = cleanBase(baseUrl)
  if (target.operation === 'realtime') return liveEndpoint(base)
  const versioned = isVersioned(base) ? base : `${base}/v1beta`
  // The model, or the agent, is in the body.
  if (target.operation === 'interact') return `${versioned}/interactions`
  return `${versioned}/${resource(target.model)}:${geminiAction(target)}`
}

const live = 'GenerativeService.BidiGenerateContent'

/** The WebSocket of live sessions, which has the version in its name; the model is in the first frame. */
function liveEndpoint(base: string): string {
  const [, host = base, version = 'v1beta'] = /^(.*)\/(v\d\w*)$/.exec(base) ?? []
  return `${host}/ws/google.ai.generativelanguage.${version}.${live}`
}

/** Google's Gemini API. */
export const gemini: Vendor = {
  id: 'gemini',
  title: 'Google Gemini',
  speaks: ['gemini'],
  operations: ['generate', 'interact', 'count-tokens', 'embed', 'image', 'video', 'speak', 'realtime'],
  sessions: ['gemini'],
  styles: { embed: 'gemini', image: 'gemini', video: 'gemini', speak: 'gemini' },
  baseUrl: 'https://generativelanguage.googleapis.com',
  keyless: false,
  auth: 'x-goog-api-key',
  endpoint,
  capabilities: geminiFacts,
}
