/** Requests of operations other than generation that are JSON: to their own style, and to every other that can serve them. */
import { operationCodecs } from '#protocols/operations'
import { GatewayError } from '#shared/errors'
import type { SideOperation, Style } from '#shared/ids'
import { attempt } from '#testing/conversions/codec-runs'
import type { Guide } from './cases.ts'
import { type Cell, type Converted, compared, type Verdict } from './outcome.ts'
import type { WireCase } from './request-cells.ts'

/**
 * The types of requests, by operation, in the style of the endpoint. No SDK of Jina's or Cohere's is installed: rerank is written from
 * their references, api.jina.ai/redoc and docs.cohere.com/reference/rerank, and from Voyage's.
 */
export const operationTypes = {
  embed: 'OpenAI.EmbeddingCreateParams',
  image: 'OpenAI.ImageGenerateParamsNonStreaming',
  speak: 'OpenAI.Audio.SpeechCreateParams',
  moderate: 'OpenAI.ModerationCreateParams',
  rerank: `{ model: string, query: string, documents: (string | { text: string, title?: string })[], top_n?: number,
    return_documents?: boolean, max_tokens_per_doc?: number, priority?: number, truncation?: boolean, rank_fields?: string[],
    max_chunks_per_doc?: number, overlap_tokens?: number, instruction?: string }`,
} as const

/** An operation whose requests are walked. */
export type WalkedOperation = keyof typeof operationTypes & SideOperation

const samples: Readonly<Record<string, unknown>> = {
  model: 'asked',
  input: 'Hello',
  prompt: 'A house',
  text: 'Hello',
  url: 'https://files.example/one.png',
  dimensions: 256,
  n: 2,
  size: '1024x1024',
  output_compression: 50,
  partial_images: 1,
  speed: 1.5,
  voice: 'alloy',
}
const common = { sample: (name: string) => samples[name], skipped: new Set(['model', 'stream', 'stream_format']), kept: new Set<string>() }

/** How the requests of each operation are walked. */
export const operationGuides: Readonly<Record<WalkedOperation, Guide>> = {
  embed: { ...common, seed: { model: 'asked', input: 'Hello' } },
  image: { ...common, seed: { model: 'asked', prompt: 'A house' } },
  speak: { ...common, seed: { model: 'asked', input: 'Hello', voice: 'alloy' } },
  moderate: { ...common, seed: { model: 'asked', input: 'Hello' } },
  rerank: { ...common, seed: { model: 'asked', query: 'Where?', documents: ['Here.', 'There.'] } },
}

/** The style of the endpoint that clients ask. */
export const ownOf = (operation: WalkedOperation): Style => (operation === 'rerank' ? 'jina' : 'openai')

/** The cells of one case, named by operation and style. */
export function operationCells(operation: WalkedOperation, { path, body, base, hollow }: WireCase): Cell[] {
  const own = ownOf(operation)
  const from = `${operation}-${own}`
  return (Object.keys(operationCodecs[operation]) as Style[]).map((style) => {
    const outcome = style === own ? native(operation, body) : compared(written(operation, style, body), written(operation, style, base))
    return { from, to: `${operation}-${style}`, path, ...outcome, ...(hollow && { hollow }) }
  })
}

function native(operation: WalkedOperation, raw: string): Verdict {
  const edited = attempt(() => {
    const endpoint = endpointOf(operation)
    endpoint.readHead(raw)
    return endpoint.editRequest(raw, {})
  })
  const outcome = edited instanceof GatewayError ? 'refused' : edited === raw ? 'same' : 'silent'
  return { plain: outcome, strict: outcome }
}

function written(operation: WalkedOperation, style: Style, raw: string): Converted | GatewayError {
  return attempt(() => {
    const question = endpointOf(operation).readQuestion(raw)
    const upstream = operationCodecs[operation][style]
    if (!upstream || !('writeQuestion' in upstream)) throw new Error(`No upstream is asked for ${operation} in the style of ${style}.`)
    const { requests, losses } = upstream.writeQuestion(question, { model: 'asked', capabilities: {}, stream: false })
    return { text: JSON.stringify(requests), losses }
  })
}

function endpointOf(operation: WalkedOperation) {
  const own = ownOf(operation)
  const endpoint = operationCodecs[operation][own]
  if (!endpoint || !('readQuestion' in endpoint)) throw new Error(`Nobody asks for ${operation} in the style of ${own}.`)
  return endpoint
}
