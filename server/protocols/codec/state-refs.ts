/**
 * Ids of what lives in an upstream's account, wherever an object of a request or an answer names one. Free maps (schemas, arguments of
 * tools, labels) hold the caller's own names and are not looked into.
 */
import type { StateRef } from '#canonical/codec'
import { isObject, type JsonObject } from '#shared/json'

const fields: Readonly<Record<string, StateRef['kind']>> = {
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
}
const free = new Set(['parameters', 'input_schema', 'schema', 'arguments', 'input', 'args', 'metadata', 'labels', 'output_schema'])
const deepest = 12

/** Adds every id in `value` to `refs`. */
export function addStateRefs(value: unknown, refs: StateRef[], depth = 0): void {
  if (depth > deepest) return
  if (Array.isArray(value)) for (const item of value) addStateRefs(item, refs, depth + 1)
  else if (isObject(value)) addFields(value, refs, depth)
}

function addFields(object: JsonObject, refs: StateRef[], depth: number): void {
  // What a vendor offers to everybody is no state.
  if (object.type === 'anthropic' && typeof object.skill_id === 'string') return
  for (const name in object) {
    if (free.has(name)) continue
    const value = object[name]
    const kind = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (kind === undefined) addStateRefs(value, refs, depth + 1)
    else for (const id of Array.isArray(value) ? value : [value]) if (typeof id === 'string' && id !== '') refs.push({ kind, id })
  }
}

/** Each of them once. */
export function uniqueRefs(refs: readonly StateRef[]): StateRef[] {
  return [...new Map(refs.map((ref) => [`${ref.kind} ${ref.id}`, ref])).values()]
}
