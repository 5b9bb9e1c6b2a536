/**
 * Arguments of a call that stream as pieces, each with the JSON path it belongs to (`$.filters[0].name`). They are assembled into one
 * value, because no other dialect has such pieces.
 */
import { GatewayError } from '#shared/errors'
import { exactNumber, isRawNumber, type RawNumber } from '#shared/exact-numbers'
import { type Body, numeric, pick, pickText } from '../proto-json.ts'

type Key = string | number
type Container = Map<string, Value> | Value[]
type Value = string | number | RawNumber | boolean | null | Container

/** Depth of a path, and characters of a whole call; more is an attack. */
const deepest = 64
const largest = 8 * 1024 * 1024

/** The arguments of one call so far. */
export interface PartialArgs {
  /** Throws GatewayError `upstream_error` when the arguments grow beyond all bounds. */
  add(piece: Body): void
  /** The arguments so far, as JSON text of an object. */
  text(): string
}

/** Arguments of a new call, empty. */
export function partialArgs(): PartialArgs {
  const root = new Map<string, Value>()
  let size = 0
  return {
    add(piece) {
      const path = pathOf(pickText(piece, 'jsonPath') ?? '')
      const value = valueIn(piece)
      if (path === undefined || value === undefined) return
      size += path.length + (typeof value === 'string' ? value.length : 8)
      if (size > largest) throw new GatewayError('upstream_error', 'The upstream sent a call that is larger than Parley accepts.')
      place(root, path, value)
    },
    text: () => JSON.stringify(root, plain),
  }
}

/** Maps become objects; a map takes any name, `__proto__` too. */
const plain = (_: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value)

function valueIn(piece: Body): Exclude<Value, Container> | undefined {
  const text = pick(piece, 'stringValue')
  if (typeof text === 'string') return text
  const flag = pick(piece, 'boolValue')
  if (typeof flag === 'boolean') return flag
  const given = pick(piece, 'numberValue')
  if (isRawNumber(given)) return given
  const number = numeric(given)
  if (number !== undefined && typeof given === 'string') return exactNumber(given)
  return number ?? (pick(piece, 'nullValue') === undefined ? undefined : null)
}

const step = /\.([^.[\]]+)|\[(\d{1,6})\]|\[(?:"([^"]*)"|'([^']*)')\]/y

/** The steps of `$.a["b c"][0]`; undefined for anything else. */
function pathOf(path: string): Key[] | undefined {
  const keys: Key[] = []
  step.lastIndex = 1
  while (path.startsWith('$') && step.lastIndex < path.length) {
    const match = step.exec(path)
    if (!match || keys.length === deepest) return undefined
    keys.push(match[2] === undefined ? (match[1] ?? match[3] ?? match[4] ?? '') : Number(match[2]))
  }
  return keys.length > 0 ? keys : undefined
}

/** Text for a place that already has text is appended. */
function place(root: Map<string, Value>, path: readonly Key[], value: Value): void {
  let inside: Container = root
  for (const [index, key] of path.entries()) {
    const next = path[index + 1]
    const before = get(inside, key)
    if (next === undefined) {
      set(inside, key, typeof before === 'string' && typeof value === 'string' ? before + value : value)
      return
    }
    const fits = typeof next === 'number' ? Array.isArray(before) : before instanceof Map
    const child: Container = fits ? (before as Container) : typeof next === 'number' ? [] : new Map()
    if (!fits) set(inside, key, child)
    inside = child
  }
}

function get(inside: Container, key: Key): Value | undefined {
  return Array.isArray(inside) ? inside[Number(key)] : inside.get(String(key))
}

/** Lists grow by one at a time, so that no index can fill the memory. */
function set(inside: Container, key: Key, value: Value): void {
  if (!Array.isArray(inside)) inside.set(String(key), value)
  else if (typeof key === 'number' && key < inside.length) inside[key] = value
  else inside.push(value)
}
