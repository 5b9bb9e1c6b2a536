/** Questions for embeddings as OpenAI writes them: texts or tokens, one or many, and one set of options for all. */
import type { StateRef, Target } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import {
  batchesOf,
  type EmbeddingContent,
  type EmbeddingInput,
  type EmbeddingQuestion,
  mostOf,
  tokensIn,
  type VectorFormat,
} from '#canonical/operation/embedding'
import type { Incoming, OperationHead, WrittenOperation } from '#canonical/operation/operation'
import { operationNames } from '#protocols/codec/body-names'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { addKeptAddresses } from '#protocols/codec/file-address'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { type Body, isAbsent, missing, readCount, readModel, readText, readWord, wrong } from '../fields.ts'

export interface EmbeddingHead extends OperationHead {
  inputs: number
  /** Tokens by our own count. */
  tokens: number
  /** Absent = the caller used another vendor's option, and gets the upstream's answer. */
  format?: VectorFormat
}

/** Inputs that OpenAI takes at once. */
const usualLimit = 2048
/** What OpenAI-style services add, for which another style has no place. */
const known = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user'])
/** Of those, what changes the vectors. */
const meaningful = ['task', 'input_type', 'late_chunking']
/** Tokens of media of unknown length: what Google counts for a picture. */
const tokensOfMedium = 258

/** Throws GatewayError 400 with the field as `param`; fields that only some upstreams support pass. */
export function readQuestion(incoming: Incoming): EmbeddingQuestion {
  const body = scanObject(textOf(incoming), operationNames).value
  const model = readModel(body.model)
  const dimensions = readCount(body, 'dimensions')
  const format = readWord<VectorFormat>(body, 'encoding_format', ['float', 'base64']) ?? 'float'
  readText(body, 'user')
  const { model: _, input, ...own } = body
  const inputs = readInputs(input).map((one) => (dimensions === undefined ? one : { ...one, dimensions }))
  return { style: 'openai', model, inputs, format, batch: Array.isArray(input), own, lostElsewhere: lostElsewhere(body) }
}

/** Throws GatewayError 400 with the field as `param`. */
export function readHead(incoming: Incoming): EmbeddingHead {
  const { model, inputs, format, own } = readQuestion(incoming)
  const stateRefs: StateRef[] = []
  for (const { raw } of inputs) if (isObject(raw)) addKeptAddresses(raw, stateRefs)
  return {
    model,
    stream: false,
    n: 1,
    inputBytes: Buffer.byteLength(textOf(incoming)),
    usageAsked: true,
    media: [],
    searchAsked: false,
    affinity: [],
    stateRefs,
    most: mostOf(inputs),
    inputs: inputs.length,
    tokens: tokensIn(inputs),
    ...(isAbsent(own.embedding_type) && { format }),
  }
}

/** The body as JSON text. Throws GatewayError 415 for a form. */
export function textOf(incoming: Incoming): string {
  if (typeof incoming === 'string') return incoming
  throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
}

function readInputs(input: unknown): EmbeddingInput[] {
  if (isAbsent(input)) throw missing('input')
  if (typeof input === 'string' || isTokens(input)) return [{ path: 'input', content: contentOf(input, 'input'), raw: input }]
  if (!Array.isArray(input) || input.length === 0) throw wrong('input', 'text, or a list with at least one input')
  return input.map((raw: unknown, index) => ({ path: `input[${index}]`, content: contentOf(raw, `input[${index}]`), raw }))
}

function contentOf(raw: unknown, path: string): EmbeddingContent {
  if (raw === '') throw wrong(path, 'text that is not empty')
  if (typeof raw === 'string') return { kind: 'text', texts: [raw] }
  if (isTokens(raw)) return { kind: 'tokens', tokens: raw }
  if (!isObject(raw)) throw wrong(path, 'text or a list of tokens')
  // Some services embed pictures as well, and write even texts as objects then.
  if (typeof raw.text === 'string' && raw.text !== '') return { kind: 'text', texts: [raw.text] }
  return { kind: 'native', tokens: tokensOfMedium, bytes: JSON.stringify(raw).length }
}

const isTokens = (raw: unknown): raw is number[] =>
  Array.isArray(raw) && raw.length > 0 && raw.every((token) => Number.isSafeInteger(token) && token >= 0)

/** One request per batch that the upstream accepts. Throws `unsupported_value` for options that only another style has. */
export function writeQuestion(
  question: EmbeddingQuestion,
  target: Target,
): { requests: [WrittenOperation, ...WrittenOperation[]]; losses: readonly Loss[] } {
  const [first = [], ...rest] = batchesOf(question.inputs, target, usualLimit, (a, b) => a.dimensions !== b.dimensions)
  const write = (inputs: EmbeddingInput[]): WrittenOperation => ({ body: bodyOf(question, target, inputs) })
  return { requests: [write(first), ...rest.map(write)], losses: question.style === 'openai' ? [] : question.lostElsewhere }
}

function bodyOf({ style, own }: EmbeddingQuestion, { model }: Target, inputs: readonly EmbeddingInput[]): Body {
  if (style === 'openai') return { ...own, model, input: inputs.map(({ raw }) => raw) }
  const dimensions = inputs[0]?.dimensions
  return { model, input: inputs.map(wireInput), ...(dimensions !== undefined && { dimensions }) }
}

function wireInput({ content, path }: EmbeddingInput): string | readonly number[] {
  if (content.kind === 'text') return content.texts.join('\n')
  if (content.kind === 'tokens') return content.tokens
  throw new GatewayError('unsupported_value', 'This upstream embeds only text.', { param: path })
}

/** Records what no other style can express. */
function lostElsewhere(body: Body): readonly Loss[] {
  const losses = lossList()
  const foreign = Object.keys(body).filter((field) => !known.has(field))
  if (!isAbsent(body.user)) losses.leftOut('user', 'This upstream has no field for the end user.')
  for (const field of meaningful) if (foreign.includes(field)) losses.dropped(field, 'Only the style of the request has this field.')
  recordUnread(
    foreign.filter((field) => !meaningful.includes(field) && !isAbsent(body[field])),
    losses,
  )
  return losses.losses
}
