/**
 * Embeddings in the one form of the house: inputs in order, and one vector for each. A style may write the same thing once
 * for all inputs (OpenAI's `dimensions`) or with each of them (Google's `outputDimensionality`); here it stands with each.
 */

import type { Target } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import { noUsage, type Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import type { Style } from '#shared/ids'

export type EmbeddingContent =
  /** Several texts make one vector. */
  | { kind: 'text'; texts: readonly string[] }
  | { kind: 'tokens'; tokens: readonly number[] }
  /** Only its own style can say it: a picture, a sound. `tokens` is a guess, `bytes` its length in the body. */
  | { kind: 'native'; tokens: number; bytes: number }

export interface EmbeddingInput {
  /** Where it stands in the caller's body. */
  path: string
  content: EmbeddingContent
  dimensions?: number
  /** As its own style wrote it. */
  raw: unknown
}

export type VectorFormat = 'float' | 'base64'

export interface EmbeddingQuestion {
  style: Style
  /** The name by which the client asked. */
  model: string
  inputs: readonly EmbeddingInput[]
  /** How the caller wants its vectors written, where its style leaves a choice. */
  format: VectorFormat
  /** Asked as a list, and so answered as one. */
  batch: boolean
  /** Fields beside the inputs, as the style of the question wrote them; an upstream of the same style is given them all. */
  own: Readonly<Record<string, unknown>>
  /** What is lost on an upstream of any other style. */
  lostElsewhere: readonly Loss[]
}

export type Vector = readonly number[]

export interface EmbeddingAnswer {
  vectors: readonly Vector[]
  usage: Usage
}

/** What one upstream body holds. Absent usage = it told none. */
export interface EmbeddingPart {
  vectors: readonly Vector[]
  usage: Usage | undefined
}

/** Inputs of one question at most (OpenAI's own limit): each request upstream costs time, and they are sent one by one. */
const mostInputs = 2048

/** Inputs in the order of the question, in lists that an upstream takes at once; `apart` says which two may not share one. */
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

/** The answer of several bodies in order. Throws `upstream_error` unless there is exactly one vector for every input. */
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

/** Throws `upstream_error` when an upstream answered another number of vectors than it was asked for. */
export function assertOneEach(vectors: number, inputs: number): void {
  if (vectors !== inputs) throw new GatewayError('upstream_error', 'The upstream did not answer with one embedding for each input.')
}

/** One request of the client, whatever it took upstream. */
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
  const told = usages.filter(({ provenance }) => provenance === 'provider')
  if (told.length > 0) total.provenance = told.length === usages.length ? 'provider' : 'partial'
  total.raw = told.length > 0 && told.length <= 32 ? told.map(({ raw }) => raw) : null
  return total
}

/** Every kind of input token together. */
export function inputTokens({ in: { fresh, cacheRead, cacheWrite, audio, image } }: Usage): number {
  return fresh + cacheRead + cacheWrite['5m'] + cacheWrite['1h'] + cacheWrite.other + audio + image
}

export function estimated(tokens: number): Usage {
  const usage = noUsage()
  usage.in.fresh = tokens
  return usage
}

/** Tokens by our own count, where an upstream tells none: four bytes of text each, as for conversations. */
export const tokensIn = (inputs: readonly EmbeddingInput[]): number =>
  inputs.reduce((tokens, { content }) => tokens + roundly(content, 4), 0)

/** Marks that some tokenizers put around each input. */
const marks = 2

/**
 * The largest usage: what is held. Two bytes a token, for older tokenizers make a token of every Chinese character, which has
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
