/**
 * Reads an external JSON object field by field. It knows its path in the body, so that errors name the field, and which fields were
 * read, so that none is lost: `unread` returns the rest, at every depth.
 *
 * The input is not validated against its schema, so each method checks its value and throws GatewayError 400 with the field's path as
 * `param`.
 */
import { GatewayError } from '#shared/errors'
import { isObject, type JsonObject } from '#shared/json'
import type { FieldRules, Fields, ItemReader, ReadBody } from './fields-contract.ts'

export type { FieldRules, Fields, ItemReader, JsonObject, ReadBody }

/** The error for a required field. */
export const missingField = (param: string) => new GatewayError('missing_field', `The field \`${param}\` is required.`, { param })
/** The error for an invalid value; `rule` completes "must be". */
export const invalidField = (param: string, rule: string) =>
  new GatewayError('invalid_value', `The field \`${param}\` must be ${rule}.`, { param })

/** Starts reading a body. `base` is its path, for a part of a larger body. */
export function readBody<Shape = JsonObject>(raw: JsonObject, rules: FieldRules = {}, base = ''): ReadBody<Shape> {
  const opened: ObjectFields[] = []
  const fields = new ObjectFields(raw, base, -1, rules, opened)
  return { fields, unread: () => unreadIn(opened) }
}

function unreadIn(opened: readonly ObjectFields[]): string[] {
  const paths: string[] = []
  for (const one of opened) if (!one.isRead()) paths.push(...one.unread())
  return paths
}

/** Undefined for an object with other fields than the plain ones, and for one that the reader declines. */
function readPlain<Item, Read>(item: JsonObject, reader: ItemReader<Item, Read>, path: string, index: number): Read | undefined {
  const { first, second } = reader
  const one = item[first]
  const other = second === undefined ? '' : item[second]
  if (typeof one !== 'string' || typeof other !== 'string') return undefined
  let others = second === undefined ? -1 : -2
  for (const _ in item) others++
  return others === 0 ? reader.plain(one, other, path, index) : undefined
}

function hasUnderscore(raw: JsonObject): boolean {
  for (const name in raw) if (name.includes('_')) return true
  return false
}

const plainName = /^[A-Za-z_$][\w$.-]{0,63}$/

/**
 * One class for all shapes: types are erased. A request has thousands of objects, so that each is one allocation: the names read are kept
 * in slots, which few objects exceed, and a path is built on demand.
 */
class ObjectFields implements Fields<JsonObject> {
  private readonly raw: JsonObject
  private readonly base: string
  /** Its index in the list at `base`; -1 = not in a list. */
  private readonly index: number
  private readonly rules: FieldRules
  private readonly opened: ObjectFields[]
  /** Names of fields that were read, as `raw` has them: the first four, and the others. */
  private first: string | undefined = undefined
  private second: string | undefined = undefined
  private third: string | undefined = undefined
  private fourth: string | undefined = undefined
  private others: string[] | undefined = undefined
  private isWhole = false
  /** Whether some name has an underscore; computed on demand. */
  private hasSnakes: boolean | undefined = undefined

  constructor(raw: JsonObject, base: string, index: number, rules: FieldRules, opened: ObjectFields[]) {
    this.raw = raw
    this.base = base
    this.index = index
    this.rules = rules
    this.opened = opened
    opened.push(this)
  }

  get path(): string {
    return this.index < 0 ? this.base : `${this.base}[${this.index}]`
  }

  /** Called for every object of a request, nearly all of which have been read completely. */
  isRead(): boolean {
    if (this.isWhole) return true
    const { raw } = this
    for (const name in raw) if (!this.wasSeen(name) && raw[name] !== null) return false
    return true
  }

  unread(): string[] {
    return this.unreadNames().map((name) => this.under(plainName.test(name) ? name : '*'))
  }

  rest(): JsonObject {
    const names = this.unreadNames()
    for (const name of names) this.see(name)
    return Object.fromEntries(names.map((name) => [name, this.raw[name]]))
  }

  private unreadNames(): string[] {
    if (this.isRead()) return []
    return Object.keys(this.raw).filter((name) => this.raw[name] !== null && !this.wasSeen(name))
  }

  private wasSeen(name: string): boolean {
    if (name === this.first || name === this.second || name === this.third || name === this.fourth) return true
    return this.others?.includes(name) === true
  }

  /** The same name may be added twice. */
  private see(name: string): void {
    if (this.first === undefined) this.first = name
    else if (this.second === undefined) this.second = name
    else if (this.third === undefined) this.third = name
    else if (this.fourth === undefined) this.fourth = name
    else if (this.others === undefined) this.others = [name]
    else this.others.push(name)
  }

  pathOf(name: string): string {
    return this.under(this.spelled(name))
  }

  has(name: string): boolean {
    return this.peek(name) !== undefined
  }

  kind(name: string): ReturnType<Fields['kind']> {
    const value = this.peek(name)
    if (value === undefined) return 'absent'
    if (Array.isArray(value)) return 'list'
    if (typeof value === 'string') return 'text'
    if (typeof value === 'number') return 'number'
    return typeof value === 'boolean' ? 'flag' : 'object'
  }

  text(name: string): string | undefined {
    const value = this.json(name)
    if (value === undefined || typeof value === 'string') return value
    throw invalidField(this.pathOf(name), 'text')
  }

  needText(name: string): string {
    const text = this.text(name)
    if (text === undefined) throw missingField(this.pathOf(name))
    return text
  }

  textIf(name: string): string | undefined {
    const value = this.json(name)
    return typeof value === 'string' ? value : undefined
  }

  flag(name: string): boolean | undefined {
    const value = this.json(name)
    if (value === undefined || typeof value === 'boolean') return value
    throw invalidField(this.pathOf(name), 'true or false')
  }

  number(name: string, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): number | undefined {
    const number = this.numeric(name)
    if (number === undefined) return undefined
    if (Number.isFinite(number) && number >= least && number <= most) return number
    throw invalidField(this.pathOf(name), Number.isFinite(least) ? `a number from ${least} to ${most}` : 'a number')
  }

  integer(name: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
    const number = this.numeric(name)
    if (number === undefined) return undefined
    if (Number.isSafeInteger(number) && number >= least && number <= most) return number
    if (most !== Number.MAX_SAFE_INTEGER) throw invalidField(this.pathOf(name), `an integer from ${least} to ${most}`)
    throw invalidField(this.pathOf(name), least === 1 ? 'a positive integer' : `an integer of at least ${least}`)
  }

  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.json(name)
    if (value === undefined) return undefined
    const word = words.find((one) => one === value)
    if (word === undefined) throw invalidField(this.pathOf(name), `one of ${words.join(', ')}`)
    return word
  }

  texts(name: string): string[] {
    const value = this.json(name)
    if (value === undefined) return []
    const list: unknown[] = Array.isArray(value) ? value : [value]
    if (list.every((item) => typeof item === 'string')) return list
    throw invalidField(this.pathOf(name), 'text or a list of texts')
  }

  object(name: string): ObjectFields | undefined {
    const value = this.json(name)
    if (value === undefined) return undefined
    if (!isObject(value)) throw invalidField(this.pathOf(name), 'an object')
    return this.open(value, this.pathOf(name))
  }

  objectIf(name: string): ObjectFields | undefined {
    const value = this.json(name)
    return isObject(value) ? this.open(value, this.pathOf(name)) : undefined
  }

  needObject(name: string): ObjectFields {
    const fields = this.object(name)
    if (!fields) throw missingField(this.pathOf(name))
    return fields
  }

  objects(name: string): ObjectFields[] {
    return this.list(name, true)
  }

  objectsIf(name: string): ObjectFields[] {
    return this.list(name, false)
  }

  each<Item, Read>(name: string, reader: ItemReader<Item, Read>): Read[] {
    const value = this.json(name)
    if (!Array.isArray(value)) return value === undefined ? [] : this.objects(name).map((item) => reader.read(item.as()))
    const path = this.pathOf(name)
    const results: Read[] = []
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (!isObject(item)) throw invalidField(`${path}[${index}]`, 'an object')
      results.push(readPlain(item, reader, path, index) ?? reader.read(this.open(item, path, index).as()))
    }
    return results
  }

  json(name: string): unknown {
    const spelled = this.spelled(name)
    const value = this.raw[spelled]
    // Absent fields cannot be unread.
    if (value === undefined || value === null) return undefined
    this.see(spelled)
    return value
  }

  whole(): JsonObject {
    this.isWhole = true
    return this.raw
  }

  ignore(...names: string[]): void {
    for (const name of names) this.json(name)
  }

  as<Kind>(): Fields<Kind> {
    return this as unknown as Fields<Kind>
  }

  private list(name: string, isChecked: boolean): ObjectFields[] {
    const value = this.json(name)
    if (value === undefined) return []
    const path = this.pathOf(name)
    if (this.rules.loneInList && isObject(value)) return [this.open(value, path)]
    if (isChecked && !Array.isArray(value)) throw invalidField(path, 'a list of objects')
    const items: unknown[] = Array.isArray(value) ? value : []
    const objects: ObjectFields[] = []
    for (let index = 0; index < items.length; index++) {
      const item = items[index]
      if (isObject(item)) objects.push(this.open(item, path, index))
      else if (isChecked) throw invalidField(`${path}[${index}]`, 'an object')
    }
    return objects
  }

  private peek(name: string): unknown {
    return this.raw[this.spelled(name)] ?? undefined
  }

  private numeric(name: string): number | undefined {
    const value = this.json(name)
    if (value === undefined) return undefined
    const number = this.rules.number ? this.rules.number(value) : value
    return typeof number === 'number' ? number : Number.NaN
  }

  /** The name of a field as `raw` has it: a spelling with an underscore counts where the other one is not there. */
  private spelled(name: string): string {
    const { snake } = this.rules
    if (snake === undefined) return name
    const value = this.raw[name]
    if (value !== undefined && value !== null) return name
    this.hasSnakes ??= hasUnderscore(this.raw)
    return this.hasSnakes && (this.raw[snake(name)] ?? undefined) !== undefined ? snake(name) : name
  }

  private under(name: string): string {
    const { path } = this
    return path === '' ? name : `${path}.${name}`
  }

  private open(raw: JsonObject, base: string, index = -1): ObjectFields {
    return new ObjectFields(raw, base, index, this.rules, this.opened)
  }
}
