/** What Parley itself reads of a generateContent request; everything else passes unseen. */

import type { Head, RequestBody, StateRef } from '#canonical/codec'
import type { NonTextContent } from '#canonical/non-text-content'
import { invalidField, missingField, readBody } from '#protocols/codec/fields'
import { addAddress } from '#protocols/codec/file-address'
import { addStateRefs, bring, noContent, nonTextOf, scanned } from '#protocols/codec/head'
import { geminiUnpriced } from '#protocols/codec/unpriced'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import type { GenerateContentRequest } from '#shared/protocols/gemini/generate-content'
import { scan } from '../body-names.ts'
import { readPath } from '../path.ts'
import { type Body, pick, pickObject, pickObjects, pickText, protoRules } from '../proto-json.ts'

/** `path` is `{model}:{action}`. Throws GatewayError with the field's path as `param`; unknown fields and kinds pass. */
export function readHead(given: RequestBody, path?: string): Head {
  const { model, action } = readPath(path)
  if (action !== 'generateContent' && action !== 'streamGenerateContent') {
    throw new GatewayError('not_found', 'This action does not generate content.')
  }
  const { text, value } = scanned(given, scan)
  return { ...contentHead(value, model), stream: action === 'streamGenerateContent', inputBytes: Buffer.byteLength(text) }
}

/** The head of a body with contents, for any action. */
export function contentHead(body: Body, model: string, path = ''): Omit<Head, 'stream' | 'inputBytes'> {
  const contents = readContents(body, path)
  const config = readBody<GenerateContentRequest>(body, protoRules, path).fields.object('generationConfig')
  const maxOutput = config?.integer('maxOutputTokens', 1)
  const cached = pickText(body, 'cachedContent')
  const { media, nonText } = mediaIn(contents)
  return {
    model,
    n: config?.integer('candidateCount', 1, 128) ?? 1,
    ...(maxOutput !== undefined && { maxOutput }),
    // Every event of this dialect has usage.
    usageAsked: true,
    media: [...media],
    ...nonTextOf({ ...nonText, ...modalitiesIn(config?.json('responseModalities')), ...((cached || hosts(body)) && { unseen: true }) }),
    searchAsked: asksSearch(body),
    affinity: cached !== undefined && cached !== '' && cached.length <= 512 ? [cached] : [],
    stateRefs: stateIn(body, cached, contents),
    ...geminiUnpriced(pick(body, 'serviceTier')),
  }
}

function readContents(body: Body, path: string): Body[] {
  const contents = pick(body, 'contents')
  const param = path === '' ? 'contents' : `${path}.contents`
  if (contents === undefined) throw missingField(param)
  if (isObject(contents)) return [contents]
  if (!Array.isArray(contents) || contents.length === 0) throw invalidField(param, 'a list with at least one content')
  return contents.filter(isObject)
}

/** Every object that holds media: parts, and the parts of function results. */
function partsIn(contents: Body[]): Body[] {
  return contents
    .flatMap((content) => pickObjects(content, 'parts'))
    .flatMap((part) => [part, ...pickObjects(pickObject(part, 'functionResponse') ?? {}, 'parts')])
}

function mediaIn(contents: Body[]): { media: Set<string>; nonText: NonTextContent } {
  const media = new Set<string>()
  const nonText = noContent()
  for (const part of partsIn(contents)) {
    const data = pickObject(part, 'inlineData') ?? pickObject(part, 'fileData')
    if (!data) continue
    const kind = kindOf(pickText(data, 'mimeType') ?? '')
    media.add(kind)
    bring(nonText, kind, data)
  }
  return { media, nonText }
}

function modalitiesIn(named: unknown): Pick<NonTextContent, 'modalities'> {
  if (!Array.isArray(named) || named.length === 0) return {}
  return { modalities: named.filter((kind) => typeof kind === 'string').map((kind) => kind.toLowerCase()) }
}

/** True for tools that the client does not run itself. */
const hosts = (body: Body) =>
  pickObjects(body, 'tools').some((tool) => Object.keys(tool).some((name) => !/^function_?declarations$/i.test(name)))

function kindOf(mimeType: string): string {
  if (/^image\//i.test(mimeType)) return 'image'
  if (/^audio\//i.test(mimeType)) return 'audio'
  return /^(?:application|text)\//i.test(mimeType) ? 'file' : 'other'
}

const searches = ['googleSearch', 'googleSearchRetrieval', 'enterpriseWebSearch', 'exaAiSearch', 'parallelAiSearch']

function asksSearch(body: Body): boolean {
  return pickObjects(body, 'tools').some((tool) => searches.some((name) => pick(tool, name) !== undefined))
}

/** Caches and uploaded files belong to one account; addresses that anyone could open do not. */
function stateIn(body: Body, cached: string | undefined, contents: Body[]): StateRef[] {
  const refs: StateRef[] = cached ? [{ kind: 'cached-content', id: cached }] : []
  for (const tool of pickObjects(body, 'tools')) {
    for (const name of Object.keys(tool)) if (!/^function_?declarations$/i.test(name)) addStateRefs(tool[name], refs)
  }
  const instruction = pickObject(body, 'systemInstruction')
  for (const part of partsIn(instruction ? [...contents, instruction] : contents)) {
    const uri = pickText(pickObject(part, 'fileData') ?? {}, 'fileUri')
    if (uri !== undefined) addAddress(uri, refs)
  }
  return refs
}

/** True for addresses that Google opens itself, as video. */
export const isYouTube = (uri: string): boolean => /^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//.test(uri)
