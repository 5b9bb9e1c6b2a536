/**
 * The fields of a stream's events that a reader knows. A table is prepared once; an event costs one lookup per name, and a path is only
 * built for an unknown field.
 */
import type { Loss, LossList } from '#canonical/loss'
import { isObject, type JsonObject } from '#shared/json'
import { lossList } from './field-writers.ts'

/** Known fields by name: with those of nested objects, or `true` if the value is read as a whole. */
export interface KnownFields {
  /** Its index in a stream's cache. */
  readonly id: number
  readonly fields: Readonly<Record<string, KnownFields | true>>
}

let tables = 0

/** A table of `names`, separated by spaces, and of fields with nested objects, or lists of objects. Created once, when loaded. */
export function knownFields(names: string, nested: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  const fields: Record<string, KnownFields | true> = Object.create(null)
  for (const name of names.split(/\s+/)) if (name !== '') fields[name] = true
  return { id: tables++, fields: Object.assign(fields, nested) }
}

/** Reports unknown fields. The piece is at `path`, or in the list there. */
export type UnknownFields = (piece: JsonObject, known: KnownFields, path?: string, index?: number) => void

/** An upstream that invents fields must fill neither the memory nor the log. */
const mostLosses = 32
const plainName = /^[A-Za-z_$][\w$.-]{0,63}$/

/** The names of a known piece, in order, and the tables of their values. */
interface Shape {
  names: string[]
  inner: (KnownFields | true)[]
  /** How often it was another one. */
  changes: number
}

/** A stream whose pieces change their shape more often is looked up name by name. */
const mostChanges = 8

/** Records each unknown field of one stream in `losses`, once by its path; an upstream that repeats it in every event costs little. */
export function unknownFields(losses: LossList): UnknownFields {
  const reported = new Set<string>()
  /** By the id of the table: the events of a stream are alike, so most cost a comparison for each name. */
  const shapes: (Shape | undefined)[] = []

  const tell = (path: string) => {
    if (reported.has(path) || reported.size >= mostLosses) return
    reported.add(path)
    losses.dropped(path, 'Parley does not know this field of the answer.')
  }

  function isKnown(piece: JsonObject, known: KnownFields): boolean {
    const shape = shapes[known.id]
    if (shape === undefined) return isKnownByName(piece, known, undefined)
    const { names, inner } = shape
    let at = 0
    for (const name in piece) {
      if (names[at] !== name) return isKnownByName(piece, known, shape)
      const within = inner[at++]
      if (within !== true && within !== undefined && !isKnownWithin(piece[name], within)) return false
    }
    return true
  }

  function isKnownByName(piece: JsonObject, known: KnownFields, before: Shape | undefined): boolean {
    const shape: Shape = { names: [], inner: [], changes: (before?.changes ?? 0) + 1 }
    for (const name in piece) {
      const within = known.fields[name]
      if (within === undefined) {
        if (piece[name] === null) continue
        return false
      }
      if (within !== true && !isKnownWithin(piece[name], within)) return false
      shape.names.push(name)
      shape.inner.push(within)
    }
    if (shape.changes <= mostChanges) shapes[known.id] = shape
    return true
  }

  function isKnownWithin(value: unknown, known: KnownFields): boolean {
    if (typeof value !== 'object' || value === null) return true
    if (!Array.isArray(value)) return isKnown(value as JsonObject, known)
    for (const item of value) if (isObject(item) && !isKnown(item, known)) return false
    return true
  }

  return (piece, known, path = '', index) => {
    if (reported.size >= mostLosses || isKnown(piece, known)) return
    recordUnknown(piece, known, index === undefined ? path : `${path}[${index}]`, tell)
  }
}

function recordUnknown(piece: JsonObject, known: KnownFields, path: string, tell: (path: string) => void): void {
  for (const [name, value] of Object.entries(piece)) {
    const inner = known.fields[name]
    if (inner === true || value === null) continue
    const at = plainName.test(name) ? name : '*'
    const place = path === '' ? at : `${path}.${at}`
    if (inner === undefined) tell(place)
    else if (isObject(value)) recordUnknown(value, inner, place, tell)
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) if (isObject(item)) recordUnknown(item, inner, `${place}[${index}]`, tell)
    }
  }
}

/** The losses of fields that are in no table, of an answer that is read whole; `undefined` bodies are none. */
export function lossesIn(answers: readonly (JsonObject | undefined)[], known: KnownFields): readonly Loss[] {
  const losses = lossList()
  const tell = unknownFields(losses)
  for (const answer of answers) if (answer) tell(answer, known)
  return losses.losses
}

/** Records each kind of event, or of a piece of one, that a reader does not know: once, under `events`. */
export function unknownKinds(losses: LossList): (kind: string) => void {
  const reported = new Set<string>()
  return (kind) => {
    if (reported.has(kind) || reported.size >= mostLosses) return
    reported.add(kind)
    losses.dropped(`events.${plainName.test(kind) ? kind : '*'}`, 'Parley does not know this kind of event.')
  }
}
