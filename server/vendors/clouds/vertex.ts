/**
 * Google Vertex AI: Gemini and Claude of one project. Options: `project` (required), `region` (default `global`). The key is the JSON
 * of a service account. Hosts by region as in the AI SDK's google-vertex provider; paths of publishers:
 * https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude. Embeddings: `predict`, as its reference of text
 * embeddings says. Counting Claude's tokens: as the package @anthropic-ai/vertex-sdk does it, with the model in the body. Live sessions:
 * as @google/genai 3.1 opens them in its Vertex mode.
 */
import { badOption, cleanBase, modelSegment, notServed, withoutVersion } from '../address.ts'
import { geminiAction } from '../gemini.ts'
import { isClaude } from '../models/claude.ts'
import { geminiFacts } from '../models/gemini.ts'
import type { EndpointTarget, Vendor } from '../vendor.ts'
import { cloudClaudeFacts, vertexBody } from './claude-cloud.ts'

const globalHost = 'https://aiplatform.googleapis.com'

/** The default base URL is replaced with the region's host; any other stays. */
function hostOf(baseUrl: string, region: string): string {
  const base = withoutVersion(cleanBase(baseUrl))
  if (base !== globalHost || region === 'global') return base
  if (region === 'eu' || region === 'us') return `https://aiplatform.${region}.rep.googleapis.com`
  return `https://${region}-aiplatform.googleapis.com`
}

function actionOf(target: EndpointTarget): string {
  if (target.operation === 'embed') return `google/models/${modelSegment(target.model)}:predict`
  if (target.dialect === 'gemini' || target.operation === 'image' || target.operation === 'speak')
    return `google/models/${modelSegment(target.model)}:${geminiAction(target)}`
  if (target.dialect !== 'messages') throw notServed()
  if (target.operation === 'count-tokens') return 'anthropic/models/count-tokens:rawPredict'
  if (target.operation !== 'generate') throw notServed()
  return `anthropic/models/${modelSegment(target.model)}:${target.stream ? 'streamRawPredict' : 'rawPredict'}`
}

/** Both become part of the URL that the token is sent to, so they are restricted. */
function placeOf({ project, region = 'global' }: EndpointTarget['options']): { region: string; path: string } {
  if (project === undefined || !/^[a-z0-9.:-]+$/.test(project) || !/^[a-z0-9-]+$/.test(region)) throw badOption()
  return { region, path: `projects/${project}/locations/${region}` }
}

function endpoint(baseUrl: string, target: EndpointTarget): string {
  const { region, path } = placeOf(target.options)
  const host = hostOf(baseUrl, region)
  // The model of a session is in its first frame.
  if (target.operation === 'realtime') return `${host}/ws/google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent`
  return `${host}/v1/${path}/publishers/${actionOf(target)}`
}

/** The absolute URL of an object in the project: `path` as in `cachedContents/1`. */
export function vertexObjectAddress(baseUrl: string, options: EndpointTarget['options'], path: string): string {
  const place = placeOf(options)
  return `${hostOf(baseUrl, place.region)}/v1/${place.path}/${path}`
}

/** Google Vertex AI. */
export const vertex: Vendor = {
  id: 'vertex',
  title: 'Google Vertex AI',
  speaks: ['gemini', 'messages'],
  speaksFor: (model) => (isClaude(model) ? ['messages'] : ['gemini']),
  operations: ['generate', 'count-tokens', 'embed', 'image', 'speak', 'realtime'],
  sessions: ['gemini'],
  sessionModel: (model, options) => `${placeOf(options).path}/publishers/google/models/${model}`,
  cacheName: (name, options) => `${placeOf(options).path}/${name}`,
  styles: { embed: 'vertex', image: 'gemini', speak: 'gemini' },
  baseUrl: globalHost,
  keyless: false,
  auth: 'google-service-account',
  body: { messages: vertexBody },
  needs: ['project'],
  endpoint,
  capabilities: (model) => (isClaude(model) ? cloudClaudeFacts(model) : geminiFacts(model)),
}
