/**
 * One case for each field, member of a union and literal of a type: the smallest value that has it, beside the same value without it. A
 * type is walked once under each kind of message, tool or item, however often it occurs there.
 */
import type { Field, Shape } from './sdk-types.ts'

/** One case. `path` names what is tried; `body` has it, and `base` is the same without it. */
export interface Case {
  path: string
  body: unknown
  base: unknown
  /** It is an empty object, which shows nothing about its possible contents. */
  hollow?: true
}

/** The inputs of a walk besides the types. */
export interface Guide {
  /** A plausible value for a field of this name whose type is just `string`; undefined for the usual one. */
  sample(name: string, path: string): unknown
  /** Fields that are not walked, by name or by whole path. */
  skipped: ReadonlySet<string>
  /** The frame of the cases: fields of the root that are in every case. */
  seed: Readonly<Record<string, unknown>>
  /** Lists whose seed stays in front of each case, by path. */
  kept: ReadonlySet<string>
  /** Other fields of the same object that a field is useless without, by its name. */
  beside?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Whether everything inside this path is left out, and all members of its union but the first. */
  shallow?(path: string): boolean
  /** Types are walked once in all, wherever they occur. */
  once?: true
  /** Fields that the smallest value of a type has although it declares them optional, by the type's name. */
  needed?: Readonly<Record<string, readonly string[]>>
}

/** Puts a value into its place; `absent` removes the field. */
type Put = (value: unknown) => unknown
const absent = Symbol('absent')

interface Place {
  path: string
  name: string
  put: Put
  /** The frame without anything in this place; undefined if something must be there. */
  floor: unknown
  /** Distinguishes places where the same type is walked again. */
  anchor: string
}

/** Every case of a root type, in a constant order. */
export function casesOf(root: Shape, guide: Guide): Case[] {
  const cases: Case[] = []
  const seen = new Set<string>()
  const queue: [Shape, Place][] = []
  const add = (path: string, body: unknown, base: unknown, value?: unknown) =>
    cases.push({ path, body, base, ...(isEmpty(value) && { hollow: true as const }) })

  function visit(shape: Shape, place: Place): void {
    const { path, name, put, floor } = place
    switch (shape.kind) {
      case 'object':
        if (floor !== undefined) add(path, put(least(shape, name, guide, path)), floor, least(shape, name, guide, path))
        queue.push([shape, place])
        return
      case 'union':
        visitMembers(shape.members, place)
        return
      case 'list': {
        const seed = guide.kept.has(path) && Array.isArray(guide.seed[name]) ? guide.seed[name] : []
        const inside = (item: unknown) => put(item === absent ? seed : [...seed, item])
        const empty = seed.length > 0 ? inside(absent) : (floor ?? put([]))
        visit(shape.item, { ...place, path: `${path}[]`, put: inside, floor: empty })
        return
      }
      case 'literal':
        if (floor !== undefined) add(`${path}=${shape.value}`, put(shape.value), floor)
        return
      default: {
        const value = least(shape, name, guide, path)
        if (floor !== undefined) add(path, put(value), floor)
        else add(path, put(other(value)), put(value))
      }
    }
  }

  function visitMembers(members: readonly Shape[], place: Place): void {
    const said = guide.shallow?.(place.path) ? members.filter(hasData).slice(0, 1) : members.filter(hasData)
    const [first, second] = said
    for (const member of said) {
      const contrast = member === first ? second : first
      const floor = place.floor ?? (contrast && place.put(least(contrast, place.name, guide, place.path)))
      const label = memberName(member)
      const path = label === undefined ? place.path : `${place.path}[${label}]`.replace('[][', '[')
      const anchor = place.anchor === '' && label !== undefined && !guide.once ? path : place.anchor
      visit(member, { ...place, path, floor, anchor })
    }
  }

  function expand(shape: Shape & { kind: 'object' }, { path, name, put, anchor }: Place): void {
    const key = `${shape.id} ${anchor}`
    if (seen.has(key) || guide.shallow?.(path)) return
    seen.add(key)
    const whole = (path === '' ? guide.seed : least(shape, name, guide, path)) as Record<string, unknown>
    for (const field of shape.fields) {
      const inside = path === '' ? field.name : `${path}.${field.name}`
      if (guide.skipped.has(field.name) || guide.skipped.has(inside)) continue
      const besides = guide.beside?.[field.name] ?? {}
      const putField = (value: unknown) => put(withField({ ...whole, ...besides }, field.name, value))
      const floor = field.optional ? putField(absent) : field.nullable ? putField(null) : undefined
      visit(field.shape, { path: inside, name: field.name, put: putField, floor, anchor })
    }
    if (shape.open && shape.fields.length === 0) add(`${path}.*`, put({ ...whole, any: 'thing' }), put(whole))
  }

  queue.push([root, { path: '', name: '', put: (value) => value, floor: undefined, anchor: '' }])
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [shape, place] = next
    if (shape.kind === 'object') expand(shape, place)
    else visit(shape, place)
  }
  return cases
}

function withField(whole: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  const { [name]: _, ...rest } = whole
  return value === absent ? rest : { ...rest, [name]: value }
}

/** An object without fields, or whose fields are all null or such objects. */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every((inner) => inner === null || isEmpty(inner))

/** Interfaces of methods alone have nothing on the wire. */
const hasData = (shape: Shape): boolean => shape.kind !== 'object' || !unsent.has(shape.name)
const unsent = new Set(['CallableTool', 'Blob', 'File', 'Uploadable'])

/** The discriminator of an object, or its type's name. */
function memberName(shape: Shape): string | undefined {
  if (shape.kind === 'list') return shape.item.kind === 'object' || shape.item.kind === 'union' ? undefined : 'list'
  if (shape.kind !== 'object') return undefined
  for (const name of ['type', 'role', 'kind']) {
    const field = shape.fields.find((one) => one.name === name && one.shape.kind === 'literal')
    if (field?.shape.kind === 'literal') return String(field.shape.value)
  }
  return shape.name
}

const other = (value: unknown): unknown =>
  typeof value === 'string' ? `${value}2` : typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : { any: 'other' }

/** The smallest value of a type; empty beyond the depth of any real one. */
export function least(shape: Shape, name: string, guide: Guide, path: string, depth = 0): unknown {
  const sample = guide.sample(name, path)
  if (sample === guide.seed[path] && sample !== undefined) return sample
  if (sample !== undefined && fits(shape, sample)) return sample
  switch (shape.kind) {
    case 'object': {
      const needed = shape.fields.filter(({ name: own, optional }) => !optional || guide.needed?.[shape.name]?.includes(own))
      if (depth > 8) return {}
      if (shape.open && shape.fields.length === 0) return { topic: 'walk' }
      return Object.fromEntries(needed.map((field) => [field.name, leastField(field, guide, path, depth)]))
    }
    case 'union': {
      const simple = shape.members.find(({ kind }) => kind === 'text') ?? shape.members.filter(hasData)[0]
      return simple ? least(simple, name, guide, path, depth) : null
    }
    case 'list':
      return depth > 8 ? [] : [least(shape.item, name, guide, path, depth + 1)]
    case 'literal':
      return shape.value
    case 'text':
      return name === '' ? 'text' : `a ${name}`
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'any':
      return { any: 'thing' }
  }
}

function leastField({ name, shape, nullable }: Field, guide: Guide, path: string, depth: number): unknown {
  const inside = path === '' ? name : `${path}.${name}`
  return nullable && guide.sample(name, inside) === undefined ? null : least(shape, name, guide, inside, depth + 1)
}

function fits(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'literal':
      return value === shape.value
    case 'list':
      return Array.isArray(value)
    case 'union':
      return shape.members.some((member) => fits(member, value))
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value) && shape.fields.length === 0
    case 'any':
      return true
  }
}
