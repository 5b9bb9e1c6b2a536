/**
 * The canonical form of embeddings: inputs in order, and one vector for each. A style may state an option once for all inputs
 * (OpenAI's `dimensions`) or for each (Google's `outputDimensionality`); here each input has it.
 */

import type { Target } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import { noUsage, type Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import type { Style } from '#shared/ids'

/** The content of one input. */
export type EmbeddingContent =
  /** Several texts give one vector. */
  | { kind: 'text'; texts: readonly string[] }
  | { kind: 'tokens'; tokens: readonly number[] }
  /** Content that only its own style supports: an image, audio. `tokens` is an estimate, `bytes` its length in the body. */
  | { kind: 'native'; tokens: number; bytes: number }

/** One input. */
export interface EmbeddingInput {
  /** Its path in the caller's body. */
  path: string
  content: EmbeddingContent
  dimensions?: number
  /** As written in its own style. */
  raw: unknown
}

/** How vectors are written. */
export type VectorFormat = 'float' | 'base64'

/** A request for embeddings. */
export interface EmbeddingQuestion {
  style: Style
  /** The client's model name. */
  model: string
  inputs: readonly EmbeddingInput[]
  /** The requested vector format, in styles with that choice. */
  format: VectorFormat
  /** True when given as a list; the answer is then a list too. */
  batch: boolean
  /** The other fields as the question's style writes them; passed in full to an upstream of the same style. */
  own: Readonly<Record<string, unknown>>
  /** Losses on an upstream of any other style. */
  lostElsewhere: readonly Loss[]
}

/** One embedding. */
export type Vector = readonly number[]

/** The answer to a request. */
export interface EmbeddingAnswer {
  vectors: readonly Vector[]
  usage: Usage
}

/** The content of one upstream body. Absent usage = not reported. */
export interface EmbeddingPart {
  vectors: readonly Vector[]
  usage: Usage | undefined
}

/** Maximum inputs per request (OpenAI's own limit): batches are sent one after the other, and each takes time. */
const mostInputs = 2048

/** Splits inputs, in order, into batches that an upstream accepts; `apart` says which two may not share one. */
export function batchesOf(
  inputs: readonly EmbeddingInput[],
  { capabilities: { maxInputs } }: Target,
  usualLimit: number,
  apart: (a: EmbeddingInput, b: EmbeddingInput) => boolean = () => false,
): EmbeddingInput[][] {
  if (inputs.length > mostInputs) {
    const param = inputs[0]?.path.replace(/\[0\].*$/, '')
    throw new GatewayError('unsupported_value', `At most ${mostInputs} inputs can be embedded at once.`, { ...(param && { param }) })
  }
  const limit = maxInputs !== undefined && maxInputs >= 1 ? maxInputs : usualLimit
  const batches: EmbeddingInput[][] = []
  for (const input of inputs) {
    const last = batches.at(-1)
    const [first] = last ?? []
    if (last && first && last.length < limit && !apart(first, input)) last.push(input)
    else batches.push([input])
  }
  return batches
}

/** Joins the answers of several bodies in order. Throws `upstream_error` unless there is exactly one vector per input. */
export function joinParts(parts: readonly EmbeddingPart[], { inputs }: EmbeddingQuestion): EmbeddingAnswer {
  const vectors = parts.flatMap((part) => part.vectors)
  assertOneEach(vectors.length, inputs.length)
  let at = 0
  const usages = parts.map((part) => {
    const from = at
    at += part.vectors.length
    return part.usage ?? estimated(tokensIn(inputs.slice(from, at)))
  })
  return { vectors, usage: sum(usages) }
}

/** Throws `upstream_error` when the number of vectors is wrong. */
export function assertOneEach(vectors: number, inputs: number): void {
  if (vectors !== inputs) throw new GatewayError('upstream_error', 'The upstream did not return one embedding for each input.')
}

/** The sum for one request of the client, however many it took upstream. */
function sum(usages: readonly Usage[]): Usage {
  const [only] = usages
  if (only && usages.length === 1) return only
  const total = noUsage()
  for (const { in: input } of usages) {
    total.in.fresh += input.fresh
    total.in.cacheRead += input.cacheRead
    total.in.cacheWrite.other += input.cacheWrite.other
    total.in.audio += input.audio
    total.in.image += input.image
  }
  const reported = usages.filter(({ provenance }) => provenance === 'provider')
  if (reported.length > 0) total.provenance = reported.length === usages.length ? 'provider' : 'partial'
  total.raw = reported.length > 0 && reported.length <= 32 ? reported.map(({ raw }) => raw) : null
  return total
}

/** Input tokens of every kind. */
export function inputTokens({ in: { fresh, cacheRead, cacheWrite, audio, image } }: Usage): number {
  return fresh + cacheRead + cacheWrite['5m'] + cacheWrite['1h'] + cacheWrite.other + audio + image
}

/** Usage of this many estimated input tokens. */
export function estimated(tokens: number): Usage {
  const usage = noUsage()
  usage.in.fresh = tokens
  return usage
}

/** Estimated tokens when an upstream reports none: four bytes of text each, as for conversations. */
export const tokensIn = (inputs: readonly EmbeddingInput[]): number =>
  inputs.reduce((tokens, { content }) => tokens + roundly(content, 4), 0)

/** Special tokens that some tokenizers add per input. */
const marks = 2

/**
 * The largest possible usage, which is held. Two bytes per token, since older tokenizers use a token per Chinese character, which has
 * three bytes.
 */
export const mostOf = (inputs: readonly EmbeddingInput[]): Usage =>
  estimated(inputs.reduce((tokens, { content }) => tokens + marks + atMost(content), 0))

const atMost = (content: EmbeddingContent): number =>
  content.kind === 'native' ? Math.max(content.tokens, Math.ceil(content.bytes / 4)) : roundly(content, 2)

function roundly(content: EmbeddingContent, bytesPerToken: number): number {
  if (content.kind === 'tokens') return content.tokens.length
  if (content.kind === 'native') return content.tokens
  const bytes = content.texts.reduce((size, text) => size + Buffer.byteLength(text), 0)
  return Math.ceil(bytes / bytesPerToken)
}
