/**
 * Helpers to read the heads of all dialects: the body, scanned once; fallback models; non-text content, and references to state in an
 * upstream's account.
 */

import type { RequestBody, ScannedBody, StateRef } from '#canonical/codec'
import type { Brought, NonTextContent } from '#canonical/non-text-content'
import { GatewayError } from '#shared/errors'
import { isObject, type JsonObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'

const none = (): Brought => ({ pieces: 0, bytes: 0, elsewhere: 0 })

/** No content yet. */
export const noContent = (): NonTextContent => ({ images: none(), sounds: none(), files: none() })

const places = { image: 'images', audio: 'sounds' } as const

/** A URL, or the name of a file in an account. */
const elsewhere = /^(?:https?:|gs:|file[-_/])/i
const deepest = 4

/** Adds a piece by its kind (`image`, `audio`, anything else is a file) and the length of its strings. */
export function bring(nonText: NonTextContent, kind: string, piece: unknown): void {
  const brought = nonText[kind === 'image' || kind === 'audio' ? places[kind] : 'files']
  const { bytes, away } = measured(piece, 0)
  brought.pieces += 1
  brought.bytes += bytes
  if (away) brought.elsewhere += 1
}

/** As a part of the head; empty if there is only text. */
export function nonTextOf(nonText: NonTextContent): { nonText?: NonTextContent } {
  const { images, sounds, files, ...others } = nonText
  const isNothing = images.pieces + sounds.pieces + files.pieces === 0 && Object.keys(others).length === 0
  return isNothing ? {} : { nonText }
}

/** Lists are left out: their items are measured separately, or are text. */
function measured(value: unknown, depth: number): { bytes: number; away: boolean } {
  if (typeof value === 'string') return { bytes: value.length, away: elsewhere.test(value) }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth >= deepest) return { bytes: 0, away: false }
  const inner = Object.values(value).map((one) => measured(one, depth + 1))
  return { bytes: inner.reduce((sum, one) => sum + one.bytes, 0), away: inner.some(({ away }) => away) }
}

const most = 20

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 256 && value.isWellFormed() && !/\p{Cc}/u.test(value)

/** Undefined when absent; an empty list switches configured fallbacks off. Throws `invalid_value`. */
export function readStandIns(models: unknown): string[] | undefined {
  if (models === undefined || models === null) return undefined
  if (Array.isArray(models) && models.length <= most && models.every(isName)) return models
  throw new GatewayError('invalid_value', `The field \`models\` must be a list of at most ${most} names of models.`, { param: 'models' })
}

/** As a part of the head. */
export function standInsOf(body: Readonly<Record<string, unknown>>): { models?: string[] } {
  const models = readStandIns(body.models)
  return models ? { models } : {}
}

/** A body that was scanned before is not scanned again. Throws GatewayError unless the text is an unambiguous JSON object. */
export const scanned = (body: RequestBody, scan: (text: string) => ScannedBody = scanObject): ScannedBody =>
  typeof body === 'string' ? scan(body) : body

/**
 * Fields with ids of what lives in an upstream's account, wherever an object of a request or an answer has one. Free maps (schemas,
 * arguments of tools, labels) hold the caller's own names and are not looked into.
 */
const stateFields: Readonly<Record<string, StateRef['kind']>> = {
  file_id: 'file',
  file_ids: 'file',
  container_id: 'container',
  vector_store_id: 'vector-store',
  vector_store_ids: 'vector-store',
  skill_id: 'skill',
  skill_ids: 'skill',
  previous_message_id: 'message',
  fileSearchStoreNames: 'file-search-store',
  file_search_store_names: 'file-search-store',
  datastore: 'data-store',
  ragCorpus: 'data-store',
  rag_corpus: 'data-store',
  tunnel_id: 'tunnel',
}
const free = new Set(['parameters', 'input_schema', 'schema', 'arguments', 'input', 'args', 'metadata', 'labels', 'output_schema'])
const deepestRef = 12

/** Adds every id in `value` to `refs`. */
export function addStateRefs(value: unknown, refs: StateRef[], depth = 0): void {
  if (depth > deepestRef) return
  if (Array.isArray(value)) for (const item of value) addStateRefs(item, refs, depth + 1)
  else if (isObject(value)) addFields(value, refs, depth)
}

function addFields(object: JsonObject, refs: StateRef[], depth: number): void {
  // A vendor's public skills are not state.
  if (object.type === 'anthropic' && typeof object.skill_id === 'string') return
  if (object.type === 'code_interpreter') addRef('container', object.container, refs)
  for (const name in object) {
    if (free.has(name)) continue
    const value = object[name]
    const kind = Object.hasOwn(stateFields, name) ? stateFields[name] : undefined
    if (kind === undefined) addStateRefs(value, refs, depth + 1)
    else for (const id of Array.isArray(value) ? value : [value]) addRef(kind, id, refs)
  }
}

/** Adds an id, if it is valid. */
export function addRef(kind: StateRef['kind'], id: unknown, refs: StateRef[]): void {
  if (typeof id === 'string' && id !== '') refs.push({ kind, id })
}

/** Each of them once. */
export function uniqueRefs(refs: StateRef[]): StateRef[] {
  if (refs.length < 2) return refs
  return [...new Map(refs.map((ref) => [`${ref.kind} ${ref.id}`, ref])).values()]
}
