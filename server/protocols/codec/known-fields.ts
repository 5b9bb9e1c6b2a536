/**
 * Which fields of a stream's events a reader knows. A table is prepared once; an event costs one look at each of its names, and a path
 * is put together only for a field that is in no table.
 */
import type { LossList } from '#canonical/loss'
import { isObject, type JsonObject } from '#shared/json'

/** Known fields by name: with those of the objects in it, or `true` where the value is read as it is. */
export interface KnownFields {
  readonly [name: string]: KnownFields | true
}

/** A table of `names`, apart by spaces, and of fields whose objects, or lists of objects, are known in turn. */
export function knownFields(names: string, nested: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  const table: Record<string, KnownFields | true> = Object.create(null)
  for (const name of names.split(/\s+/)) if (name !== '') table[name] = true
  return Object.assign(table, nested)
}

/** Tells fields that are in no table. The piece stands at `path`, or in the list there. */
export type UnknownFields = (piece: JsonObject, known: KnownFields, path?: string, index?: number) => void

/** An upstream that invents fields must fill neither the memory nor the log. */
const mostLosses = 32
const plainName = /^[A-Za-z_$][\w$.-]{0,63}$/

/** Records each unknown field of one stream in `losses`, once by its path; an upstream that repeats it in every event costs little. */
export function unknownFields(losses: LossList): UnknownFields {
  const told = new Set<string>()
  const tell = (path: string) => {
    if (told.has(path) || told.size >= mostLosses) return
    told.add(path)
    losses.dropped(path, 'Parley does not know this field of the answer.')
  }
  return (piece, known, path = '', index) => {
    if (told.size >= mostLosses || isKnown(piece, known)) return
    tellUnknown(piece, known, index === undefined ? path : `${path}[${index}]`, tell)
  }
}

function isKnown(piece: JsonObject, known: KnownFields): boolean {
  for (const name in piece) {
    const inner = known[name]
    if (inner === true) continue
    const value = piece[name]
    if (value === null) continue
    if (inner === undefined) return false
    if (typeof value !== 'object') continue
    if (Array.isArray(value) ? !areKnown(value, inner) : !isKnown(value as JsonObject, inner)) return false
  }
  return true
}

function areKnown(items: readonly unknown[], known: KnownFields): boolean {
  for (const item of items) if (isObject(item) && !isKnown(item, known)) return false
  return true
}

function tellUnknown(piece: JsonObject, known: KnownFields, path: string, tell: (path: string) => void): void {
  for (const [name, value] of Object.entries(piece)) {
    const inner = known[name]
    if (inner === true || value === null) continue
    const at = plainName.test(name) ? name : '*'
    const place = path === '' ? at : `${path}.${at}`
    if (inner === undefined) tell(place)
    else if (isObject(value)) tellUnknown(value, inner, place, tell)
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) if (isObject(item)) tellUnknown(item, inner, `${place}[${index}]`, tell)
    }
  }
}

/** Records each kind of event, or of a piece of one, that a reader does not know: once, under `events`. */
export function unknownKinds(losses: LossList): (kind: string) => void {
  const told = new Set<string>()
  return (kind) => {
    if (told.has(kind) || told.size >= mostLosses) return
    told.add(kind)
    losses.dropped(`events.${plainName.test(kind) ? kind : '*'}`, 'Parley does not know this kind of event.')
  }
}
