/**
 * Requests for embeddings in Google's format: `embedContent` for one, `batchEmbedContents` for several, each with settings of its own.
 * Newer models read the settings from `embedContentConfig`.
 */
import type { Head, Target } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import {
  batchesOf,
  type EmbeddingContent,
  type EmbeddingInput,
  type EmbeddingQuestion,
  mostOf,
  tokensIn,
} from '#canonical/operation/embedding'
import type { Incoming, OperationHead, WrittenOperation } from '#canonical/operation/operation'
import { lossList } from '#protocols/codec/field-writers'
import { type Fields, invalidField, missingField, type ReadBody, readBody } from '#protocols/codec/fields'
import { GatewayError } from '#shared/errors'
import type { GeminiBatchEmbedRequest, GeminiEmbedRequest } from '#shared/protocols/gemini/embeddings'
import type { GeminiContent } from '#shared/protocols/gemini/generate-content'
import { scan } from '../body-names.ts'
import { contentHead } from '../generate-content/head.ts'
import { readModelName, readPath } from '../path.ts'
import { type Body, pickObject, pickText, protoRules } from '../proto-json.ts'

type Asking = Fields<GeminiEmbedRequest>

/** What admission and pricing need to know about a request. */
export interface EmbeddingHead extends OperationHead {
  inputs: number
  /** Tokens by our own count. */
  tokens: number
}

/** Most requests in one batch; Google's refusal names the figure (github weaviate/weaviate pull 11277). */
const usualLimit = 100
/** What Google counts for a picture; and for sound 32 tokens a second, which is some 16,000 bytes. */
const tokensOfPicture = 258
const bytesOfSoundToken = 500
const unspecified = 'TASK_TYPE_UNSPECIFIED'

interface Asked {
  question: EmbeddingQuestion
  /** The contents to embed, for the files in them. */
  contents: Body[]
}

/** `path` is `{model}:{action}`. Throws GatewayError 400 with the field's path as `param`; unknown fields pass. */
export function readQuestion(incoming: Incoming, path?: string): EmbeddingQuestion {
  return readAsked(textOf(incoming), path).question
}

/** Throws as readQuestion does. */
export function readHead(incoming: Incoming, path?: string): EmbeddingHead {
  const raw = textOf(incoming)
  const { question, contents } = readAsked(raw, path)
  const { model, inputs } = question
  // Files have owners, as in conversations.
  const head: Omit<Head, 'stream' | 'inputBytes'> = contentHead({ contents }, model)
  return {
    ...head,
    stream: false,
    inputBytes: Buffer.byteLength(raw),
    most: mostOf(inputs),
    inputs: inputs.length,
    tokens: tokensIn(inputs),
  }
}

/** The model's name as used in a body. */
export const resourceOf = (model: string): string => (/^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`)

/** The body as text. Throws GatewayError `unsupported_media_type` for anything but JSON. */
export function textOf(incoming: Incoming): string {
  if (typeof incoming === 'string') return incoming
  throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
}

function readAsked(raw: string, path: string | undefined): Asked {
  const { model, action } = readPath(path)
  if (action !== 'embedContent' && action !== 'batchEmbedContents')
    throw new GatewayError('not_found', 'This action does not create embeddings.')
  const batch = action === 'batchEmbedContents'
  const { fields, unread } = readBody<GeminiBatchEmbedRequest>(scan(raw).value, protoRules)
  const asked = batch ? requestsOf(fields) : [fields.as<GeminiEmbedRequest>()]
  for (const one of asked) refuseOtherModel(one, model)
  const read = asked.map(readInput)
  const lost = lostElsewhere(read, unread)
  // Parsed inputs are also kept raw, for an upstream of this style.
  const inputs = read.map(({ input }, index): EmbeddingInput => ({ ...input, raw: withoutModel(asked[index]?.whole() ?? {}) }))
  return {
    question: { style: 'gemini', model, inputs, format: 'float', batch, own: {}, lostElsewhere: lost },
    contents: read.map(({ content }) => content.whole()),
  }
}

const withoutModel = ({ model: _, ...raw }: Body): Body => raw

function requestsOf(body: Fields<GeminiBatchEmbedRequest>): Asking[] {
  if (!body.has('requests')) throw missingField('requests')
  const requests = body.objects('requests')
  if (requests.length === 0) throw invalidField('requests', 'a list with at least one request')
  // The address names the model.
  body.ignore('model')
  return requests
}

/** The price is that of the model in the address; a body must not name another one. */
function refuseOtherModel(asking: Asking, model: string): void {
  const named = asking.text('model')
  if (named !== undefined && readModelName(named) !== model) throw invalidField(asking.pathOf('model'), 'the model of the address')
}

interface ReadInput {
  input: Omit<EmbeddingInput, 'raw'>
  content: Fields<GeminiContent>
  /** Settings that no other style has, from either place. */
  options: { taskType: boolean; title: boolean }
}

function readInput(asking: Asking): ReadInput {
  const content = asking.object('content')
  if (!content) throw missingField(asking.pathOf('content'))
  const config = asking.object('embedContentConfig')
  const [taskType, title] = (['taskType', 'title'] as const).map((name) => {
    const [outer, inner] = [asking.text(name), config?.text(name)]
    return (inner ?? outer ?? '') !== '' && (inner ?? outer) !== unspecified
  })
  const [outer, inner] = [asking.integer('outputDimensionality', 1), config?.integer('outputDimensionality', 1)]
  const dimensions = inner ?? outer
  const input = { path: content.path, content: contentOf(content), ...(dimensions !== undefined && { dimensions }) }
  return { input, content, options: { taskType: taskType === true, title: title === true } }
}

function contentOf(content: Fields<GeminiContent>): EmbeddingContent {
  const parts = content.objects('parts')
  const path = content.pathOf('parts')
  // The role makes no difference to an embedding.
  content.ignore('role')
  if (parts.length === 0) throw invalidField(path, 'a list with at least one part')
  const texts = parts.map((part) => part.text('text'))
  if (texts.some((text) => text === undefined)) {
    const tokens = parts.reduce((sum, part) => sum + tokensOf(part.whole()), 0)
    return { kind: 'native', tokens, bytes: JSON.stringify(content.whole()).length }
  }
  const said = texts.filter((text) => text !== undefined && text !== '')
  if (said.length === 0) throw invalidField(path, 'text that is not empty')
  return { kind: 'text', texts: said.filter((text) => text !== undefined) }
}

function tokensOf(part: Body): number {
  const text = pickText(part, 'text')
  if (text !== undefined) return Math.ceil(Buffer.byteLength(text) / 4)
  const data = pickObject(part, 'inlineData')
  if (!data || /^image\//i.test(pickText(data, 'mimeType') ?? '')) return tokensOfPicture
  return Math.ceil(((pickText(data, 'data')?.length ?? 0) * 3) / 4 / bytesOfSoundToken)
}

/** Losses for an upstream of any other style. */
function lostElsewhere(read: readonly ReadInput[], unread: ReadBody<unknown>['unread']): readonly Loss[] {
  const losses = lossList()
  if (read.some(({ options }) => options.taskType)) losses.dropped('taskType', 'This upstream makes the same embedding for every purpose.')
  if (read.some(({ options }) => options.title)) losses.dropped('title', 'This upstream has no titles.')
  if (read.some(({ input: { content } }) => content.kind === 'text' && content.texts.length > 1)) {
    losses.adapted('content.parts', 'Several parts became one text, a line each.')
  }
  for (const path of unread().slice(0, mostPaths)) losses.dropped(path, 'Parley does not know this field and cannot convert it.')
  return losses.losses
}

/** Unknown fields beyond this number are not reported. */
const mostPaths = 32

/** One request per batch that the upstream accepts. Throws `unsupported_value` for options that only another style has. */
export function writeQuestion(
  question: EmbeddingQuestion,
  target: Target,
): { requests: [WrittenOperation, ...WrittenOperation[]]; losses: readonly Loss[] } {
  const [first = [], ...rest] = batchesOf(question.inputs, target, usualLimit)
  const write = (inputs: readonly EmbeddingInput[]): WrittenOperation => {
    const requests = inputs.map((input) => ({ model: resourceOf(target.model), ...settingsOf(input, question) }))
    const [only] = requests
    return only && requests.length === 1 && !question.batch ? { body: only } : { body: { requests }, variant: 'batch' }
  }
  return { requests: [write(first), ...rest.map(write)], losses: question.style === 'gemini' ? [] : question.lostElsewhere }
}

function settingsOf({ content, dimensions, path, raw }: EmbeddingInput, { style }: EmbeddingQuestion): Body {
  if (style === 'gemini') return { ...(raw as Body) }
  if (content.kind !== 'text') throw new GatewayError('unsupported_value', 'This upstream embeds text, not tokens.', { param: path })
  return {
    content: { parts: content.texts.map((text) => ({ text })) },
    ...(dimensions !== undefined && { outputDimensionality: dimensions }),
  }
}
