/** Reads and writes objects in an upstream's account, in each protocol's format: ids, models, usage, lists. */
import type { ObjectApi, ObjectKind } from '#canonical/account-object'
import type { Head, StateRef } from '#canonical/codec'
import { keptFileIn } from '#canonical/kept-file'
import { noUsage, type Usage } from '#canonical/usage'
import { bodyNames, operationNames } from '#protocols/codec/body-names'
import { addAddress, addKeptAddresses } from '#protocols/codec/file-address'
import { addRef, addStateRefs, uniqueRefs } from '#protocols/codec/head'
import { scan as scanGoogle } from '#protocols/gemini/body-names'
import { contentHead } from '#protocols/gemini/generate-content/head'
import { GatewayError } from '#shared/errors'
import { isObject, type JsonObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'

/** The part of an object's body that Parley reads. */
export interface ObjectBody {
  value: JsonObject
  /** References in the body to state in an upstream's account, without files stored by Parley. */
  refs: readonly StateRef[]
  /** Ids of files stored by Parley, as spelled in the body. */
  keptFiles: readonly string[]
}

/** Fields of bodies, forms and query strings that name state, and that no request to a model has. */
const scalarFields: Readonly<Record<string, StateRef['kind']>> = {
  consent: 'voice-consent',
  consent_id: 'voice-consent',
  workspace_id: 'workspace',
}

const messagesNames = bodyNames('anthropic', [])

/** Reads a JSON body, which may be empty. Throws GatewayError unless it is an unambiguous object. */
export function readObjectBody(api: ObjectApi, text: string): ObjectBody {
  if (text.trim() === '') return { value: {}, refs: [], keptFiles: [] }
  const { value } = api === 'gemini' ? scanGoogle(text) : scanObject(text, api === 'openai' ? operationNames : messagesNames)
  const refs: StateRef[] = []
  addStateRefs(value, refs)
  for (const name in scalarFields) addRef(scalarFields[name] ?? 'file', value[name], refs)
  if (api === 'messages') addManaged(value, refs)
  if (api === 'gemini') addUris(value, refs)
  return split(value, refs)
}

/** The same for the text fields of a form or of a query string. */
export function readObjectFields(fields: readonly { name: string; value: string }[]): ObjectBody {
  const refs: StateRef[] = []
  for (const { name, value } of fields) {
    if (Object.hasOwn(scalarFields, name)) addRef(scalarFields[name] ?? 'file', value, refs)
    if (/^file_ids?(\[\d*\])?$/.test(name)) addRef('file', value, refs)
  }
  return split({}, refs)
}

function split(value: JsonObject, refs: StateRef[]): ObjectBody {
  const isKept = ({ kind, id }: StateRef) => kind === 'file' && keptFileIn(id) !== undefined
  const all = uniqueRefs(refs)
  return { value, refs: all.filter((ref) => !isKept(ref)), keptFiles: all.filter(isKept).map(({ id }) => id) }
}

const deepest = 12
/** Kinds at Anthropic by the prefix of their ids, which appear in body fields of many names. */
const managed: readonly (readonly [RegExp, StateRef['kind']])[] = [
  [/^memstore_\w+$/, 'memory-store'],
  [/^agent_\w+$/, 'agent'],
  [/^env_\w+$/, 'environment'],
  [/^vlt_\w+$/, 'vault'],
]

function addManaged(value: unknown, refs: StateRef[], depth = 0): void {
  if (depth > deepest) return
  if (typeof value === 'string') {
    const kind = managed.find(([id]) => id.test(value))?.[1]
    if (kind) addRef(kind, value, refs)
  } else if (Array.isArray(value)) for (const one of value) addManaged(one, refs, depth + 1)
  else if (isObject(value)) for (const [name, one] of Object.entries(value)) if (name !== 'metadata') addManaged(one, refs, depth + 1)
}

/** Adds files at Google that a body names, wherever it does: contents of a cache, and the file that a store imports. */
function addUris(value: unknown, refs: StateRef[], depth = 0): void {
  if (depth > deepest) return
  if (Array.isArray(value)) for (const one of value) addUris(one, refs, depth + 1)
  if (!isObject(value)) return
  for (const [name, one] of Object.entries(value)) {
    if (typeof one !== 'string') addUris(one, refs, depth + 1)
    else if (/^file_?uri$/i.test(name)) addAddress(one, refs)
    else if (/^file_?name$/i.test(name)) addKeptAddresses(one, refs)
  }
}

/** The model that a body is for, without Google's prefix. Throws `missing_field`. */
export function modelIn({ model }: JsonObject): string {
  if (typeof model !== 'string' || model === '')
    throw new GatewayError('missing_field', 'The field `model` is required.', { param: 'model' })
  return model.replace(/^models\//, '')
}

/** The non-text content of a cache, for estimating its tokens. */
export const nonTextIn = (value: JsonObject): Pick<Head, 'nonText'> => {
  const { nonText } = value.contents === undefined ? {} : contentHead(value, '')
  return nonText ? { nonText } : {}
}

/** An object with this model name; a name within a project gets no prefix. */
export const withModelName = (object: JsonObject, model: string): JsonObject => ({
  ...object,
  model: model.startsWith('projects/') ? model : `models/${model}`,
})

/**
 * An object with its model's public name; `names`: by the upstream's names. Google Cloud's names within a project become those of its API.
 */
export function inCallersModel(object: unknown, names: ReadonlyMap<string, string>): unknown {
  if (!isObject(object)) return object
  const { name, model } = object
  const upstreams = typeof model === 'string' ? model.replace(/^(?:.*\/)?models\//, '') : undefined
  const callers = upstreams === undefined ? undefined : (names.get(upstreams) ?? upstreams)
  const short = typeof name === 'string' ? name.replace(/^projects\/[^/]+\/locations\/[^/]+\//, '') : undefined
  const isSame = short === name && (callers === undefined || model === `models/${callers}` || model === callers)
  if (isSame) return object
  const named = short === undefined ? object : { ...object, name: short }
  return callers === undefined ? named : withModelName(named, callers)
}

/** The id of an object in an upstream's answer; undefined if it has none. */
export function idOf(api: ObjectApi, answer: unknown): string | undefined {
  const id = isObject(answer) ? answer[api === 'gemini' ? 'name' : 'id'] : undefined
  return typeof id === 'string' && id !== '' && id.length <= 512 ? id : undefined
}

const collectionOf: Readonly<Partial<Record<ObjectKind, string>>> = {
  'cached-content': 'cachedContents',
  'file-search-store': 'fileSearchStores',
}

/** Converts the id in an object's address to the form that requests use. */
export const idAt = (kind: ObjectKind, named: string): string => {
  const collection = collectionOf[kind]
  return collection === undefined ? named : `${collection}/${named}`
}

/** The id of a stored file in this protocol's format. */
export const fileIdIn = (api: ObjectApi, kept: string): string => (api === 'gemini' ? `files/${kept}` : `file_${kept}`)

/** The parameters of a page. */
export interface ObjectPage {
  limit: number
  /** The id of the last object of the page before. */
  after?: string
  isOldestFirst: boolean
}

/** Reads the parameters of a page. Throws `invalid_value`. */
export function readPage(api: ObjectApi, query: URLSearchParams): ObjectPage {
  const [size, cursor] = { openai: ['limit', 'after'], messages: ['limit', 'page'], gemini: ['pageSize', 'pageToken'] }[api] as [
    string,
    string,
  ]
  const limit = query.get(size)
  if (limit !== null && !/^[1-9]\d{0,3}$/.test(limit)) {
    throw new GatewayError('invalid_value', `The parameter \`${size}\` must be an integer from 1 to 100.`, { param: size })
  }
  const after = query.get(cursor)
  return {
    limit: Math.min(Number(limit ?? 20), 100),
    ...(after !== null && after !== '' && { after }),
    isOldestFirst: query.get('order') === 'asc',
  }
}

/** Writes a page. `next`: the id after which the next page starts; absent: this is the last. */
export function writePage(api: ObjectApi, kind: ObjectKind, data: readonly unknown[], next: string | undefined): string {
  if (api === 'gemini') return JSON.stringify({ [collectionOf[kind] ?? 'data']: data, ...(next !== undefined && { nextPageToken: next }) })
  if (api === 'messages') return JSON.stringify({ data, has_more: next !== undefined, next_page: next ?? null })
  const ids = data.map((one) => idOf(api, one) ?? null)
  const ends = { first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null }
  return JSON.stringify({ object: 'list', data, ...ends, has_more: next !== undefined })
}

/** Fields in which upstreams report billed storage, besides tokens. */
const stored = ['usage_bytes', 'usageMetadata', 'expires_at', 'expireTime', 'expires_after', 'memory_limit', 'sizeBytes', 'bytes'] as const

/** The usage of an answer about an object: the tokens of a new cache, and the upstream's raw figures about storage. */
export function usageOf(answer: unknown, makesTokens: boolean): Usage {
  const usage: Usage = { ...noUsage(), provenance: 'provider' }
  if (!isObject(answer)) return usage
  const figures = Object.fromEntries(stored.flatMap((name) => (answer[name] === undefined ? [] : [[name, answer[name]]])))
  const tokens = isObject(answer.usageMetadata) ? Number(answer.usageMetadata.totalTokenCount) : Number.NaN
  const isCounted = makesTokens && Number.isSafeInteger(tokens) && tokens >= 0
  return {
    ...usage,
    ...(isCounted && { in: { ...usage.in, fresh: tokens } }),
    raw: Object.keys(figures).length > 0 ? { stored: figures } : null,
  }
}

/** Ids in an answer that may be files of the upstream's account. */
export const fileIdsIn = (text: string): string[] => [...new Set([...text.matchAll(/"(file-[\w-]{1,128})"/g)].map(([, id = '']) => id))]
