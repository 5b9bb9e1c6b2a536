/**
 * Questions for embeddings as Google writes them: `embedContent` asks for one, `batchEmbedContents` for several, each with
 * wishes of its own. Newer models read the wishes from `embedContentConfig`.
 */
import type { Head, Target } from '#canonical/codec'
import { batchesOf, type EmbeddingContent, type EmbeddingInput, type EmbeddingQuestion, mostOf, tokensIn } from '#canonical/embedding'
import { type Loss, lossList } from '#canonical/loss'
import type { Incoming, OperationHead, WrittenOperation } from '#canonical/operation'
import { GatewayError } from '#shared/errors'
import { scanObject } from '#wire/json-scan'
import { contentHead } from '../generate-content/head.ts'
import { readModelName, readPath } from '../path.ts'
import {
  type Body,
  camel,
  integerAt,
  missing,
  type Node,
  objectAt,
  objectsAt,
  pathOf,
  pick,
  pickObject,
  pickText,
  textAt,
  wrong,
} from '../proto-json.ts'

export interface EmbeddingHead extends OperationHead {
  inputs: number
  /** Tokens by our own count. */
  tokens: number
}

/** Requests that Google takes in one batch; its refusal names the figure (github weaviate/weaviate pull 11277). */
const usualLimit = 100
/** What Google counts for a picture; and for sound 32 tokens a second, which is some 16,000 bytes. */
const tokensOfPicture = 258
const bytesOfSoundToken = 500
const unspecified = 'TASK_TYPE_UNSPECIFIED'
const known = new Set(['model', 'content', 'taskType', 'title', 'outputDimensionality', 'embedContentConfig'])

interface Asked {
  question: EmbeddingQuestion
  /** The contents to embed, for what else stands in them. */
  contents: Body[]
}

/** `path` is `{model}:{action}`. Throws GatewayError 400 with the field's path as `param`; unknown fields pass. */
export function readQuestion(incoming: Incoming, path?: string): EmbeddingQuestion {
  return readAsked(textOf(incoming), path).question
}

export function readHead(incoming: Incoming, path?: string): EmbeddingHead {
  const raw = textOf(incoming)
  const { question, contents } = readAsked(raw, path)
  const { model, inputs } = question
  // Files in a content belong to somebody here as they do in a conversation.
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

/** The model's name as it stands in a body. */
export const resourceOf = (model: string): string => (/^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`)

export function textOf(incoming: Incoming): string {
  if (typeof incoming === 'string') return incoming
  throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
}

function readAsked(raw: string, path: string | undefined): Asked {
  const { model, action } = readPath(path)
  if (action !== 'embedContent' && action !== 'batchEmbedContents') throw new GatewayError('not_found', 'This action embeds nothing.')
  const root: Node = { body: scanObject(raw).value, path: '' }
  const batch = action === 'batchEmbedContents'
  const nodes = batch ? requestsOf(root) : [root]
  for (const node of nodes) refuseOtherModel(node, model)
  const read = nodes.map(readInput)
  const inputs = read.map(({ input }) => input)
  return {
    question: { style: 'gemini', model, inputs, format: 'float', batch, own: {}, lostElsewhere: lostElsewhere(nodes, inputs) },
    contents: read.map(({ content }) => content),
  }
}

function requestsOf(root: Node): Node[] {
  const requests = objectsAt(root, 'requests')
  if (pick(root.body, 'requests') === undefined) throw missing('requests')
  if (requests.length === 0) throw wrong('requests', 'a list with at least one request')
  return requests
}

/** The price is that of the model in the address; a body must not name another one. */
function refuseOtherModel(node: Node, model: string): void {
  const named = textAt(node, 'model')
  if (named !== undefined && readModelName(named) !== model) throw wrong(pathOf(node, 'model'), 'the model of the address')
}

function readInput(node: Node): { input: EmbeddingInput; content: Body } {
  const content = objectAt(node, 'content')
  if (!content) throw missing(pathOf(node, 'content'))
  const config = objectAt(node, 'embedContentConfig')
  for (const place of [node, config]) for (const name of ['taskType', 'title']) if (place) textAt(place, name)
  const dimensions = (config && integerAt(config, 'outputDimensionality', 1)) ?? integerAt(node, 'outputDimensionality', 1)
  const { model: _, ...raw } = node.body
  const input: EmbeddingInput = { path: content.path, content: contentOf(content), raw, ...(dimensions !== undefined && { dimensions }) }
  return { input, content: content.body }
}

function contentOf(content: Node): EmbeddingContent {
  const parts = objectsAt(content, 'parts')
  const path = pathOf(content, 'parts')
  if (parts.length === 0) throw wrong(path, 'a list with at least one part')
  const texts = parts.map((part) => textAt(part, 'text'))
  if (parts.some((_, index) => texts[index] === undefined)) {
    const tokens = parts.reduce((sum, { body }) => sum + tokensOf(body), 0)
    return { kind: 'native', tokens, bytes: JSON.stringify(content.body).length }
  }
  const said = texts.filter((text) => text !== undefined && text !== '')
  if (said.length === 0) throw wrong(path, 'text that is not empty')
  return { kind: 'text', texts: said.filter((text) => text !== undefined) }
}

function tokensOf(part: Body): number {
  const text = pickText(part, 'text')
  if (text !== undefined) return Math.ceil(Buffer.byteLength(text) / 4)
  const data = pickObject(part, 'inlineData')
  if (!data || /^image\//i.test(pickText(data, 'mimeType') ?? '')) return tokensOfPicture
  return Math.ceil(((pickText(data, 'data')?.length ?? 0) * 3) / 4 / bytesOfSoundToken)
}

/** What an upstream of any other style cannot be told. */
function lostElsewhere(nodes: readonly Node[], inputs: readonly EmbeddingInput[]): readonly Loss[] {
  const losses = lossList()
  const wishes = nodes.map(({ body }) => ({ ...body, ...pickObject(body, 'embedContentConfig') }))
  const wished = (name: string) => wishes.some((wish) => (pickText(wish, name) ?? '') !== '' && pickText(wish, name) !== unspecified)
  if (wished('taskType')) losses.dropped('taskType', 'This upstream makes the same embedding for every purpose.')
  if (wished('title')) losses.dropped('title', 'This upstream knows no titles.')
  if (inputs.some(({ content }) => content.kind === 'text' && content.texts.length > 1)) {
    losses.adapted('content.parts', 'Several parts became one text, a line each.')
  }
  if (wishes.some((wish) => Object.keys(wish).some((field) => !known.has(camel(field))))) {
    losses.forgotten('extensions.gemini', 'The request has fields that this upstream does not know.')
  }
  return losses.losses
}

/** One request for every list that the upstream takes at once. Throws `unsupported_value` for what only another style can say. */
export function writeQuestion(
  question: EmbeddingQuestion,
  target: Target,
): { requests: [WrittenOperation, ...WrittenOperation[]]; losses: readonly Loss[] } {
  const [first = [], ...rest] = batchesOf(question.inputs, target, usualLimit)
  const write = (inputs: readonly EmbeddingInput[]): WrittenOperation => {
    const requests = inputs.map((input) => ({ model: resourceOf(target.model), ...wishOf(input, question) }))
    const [only] = requests
    return only && requests.length === 1 && !question.batch ? { body: only } : { body: { requests }, variant: 'batch' }
  }
  return { requests: [write(first), ...rest.map(write)], losses: question.style === 'gemini' ? [] : question.lostElsewhere }
}

function wishOf({ content, dimensions, path, raw }: EmbeddingInput, { style }: EmbeddingQuestion): Body {
  if (style === 'gemini') return { ...(raw as Body) }
  if (content.kind !== 'text') throw new GatewayError('unsupported_value', 'This upstream embeds text, not tokens.', { param: path })
  return {
    content: { parts: content.texts.map((text) => ({ text })) },
    ...(dimensions !== undefined && { outputDimensionality: dimensions }),
  }
}
