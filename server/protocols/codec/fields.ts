/**
 * Reads an external JSON object field by field. It knows its path in the body, so that errors name the field, and which fields were
 * read, so that none is lost: `unread` returns the rest, at every depth.
 *
 * `Shape` is the type of a schema in `shared/protocols`: only fields of the schema can be read. The input is not validated against
 * it, so each method checks its value and throws GatewayError 400 with the field's path as `param`.
 */
import { GatewayError } from '#shared/errors'
import { isObject, type JsonObject } from '#shared/json'

export type { JsonObject }

/** Conventions of a protocol family. */
export interface FieldRules {
  /** The name of the field in `raw`, where there are several spellings. Absent = unchanged. */
  spelling?(raw: Readonly<JsonObject>, name: string): string
  /** The number that `value` represents, or undefined. Absent = JSON numbers only. */
  number?(value: unknown): number | undefined
  /** A single value may be given instead of a list. */
  loneInList?: true
}

type KeyOf<Shape> = Shape extends unknown ? keyof Shape & string : never
type ValueOf<Shape, Key> = Shape extends unknown ? (Key extends keyof Shape ? NonNullable<Shape[Key]> : never) : never
type ObjectsOf<Value> = Value extends readonly unknown[] ? never : Value extends object ? Value : unknown extends Value ? JsonObject : never
type ItemsOf<Value> = Value extends readonly (infer Item)[] ? ObjectsOf<NonNullable<Item>> : unknown extends Value ? JsonObject : never

/** An object being read. */
export interface Fields<Shape = JsonObject> {
  /** `messages[3].content[0]`; empty for the body itself. */
  readonly path: string
  /** The path of a field, as the caller spells it. */
  pathOf(name: KeyOf<Shape>): string
  /** Null counts as absent, here and below. Does not mark the field as read. */
  has(name: KeyOf<Shape>): boolean
  /** The type of its value; does not mark the field as read. */
  kind(name: KeyOf<Shape>): 'absent' | 'text' | 'number' | 'flag' | 'list' | 'object'
  text(name: KeyOf<Shape>): string | undefined
  /** As `text`, and the field is required. */
  needText(name: KeyOf<Shape>): string
  flag(name: KeyOf<Shape>): boolean | undefined
  /** A finite number within the bounds. */
  number(name: KeyOf<Shape>, least?: number, most?: number): number | undefined
  /** A safe integer within the bounds. */
  integer(name: KeyOf<Shape>, least: number, most?: number): number | undefined
  /** One of a closed list of words. */
  word<Word extends string>(name: KeyOf<Shape>, words: readonly Word[]): Word | undefined
  /** A list of texts, or a single one. */
  texts(name: KeyOf<Shape>): string[]
  /** The text of a field, undefined for other types: for answers of upstreams, which are not the caller's fault. */
  textIf(name: KeyOf<Shape>): string | undefined
  /** An object. Call it once and pass the result on: each call tracks reads separately. */
  object<Key extends KeyOf<Shape>>(name: Key): Fields<ObjectsOf<ValueOf<Shape, Key>>> | undefined
  /** As `object`, but undefined for anything else (answers of upstreams). */
  objectIf<Key extends KeyOf<Shape>>(name: Key): Fields<ObjectsOf<ValueOf<Shape, Key>>> | undefined
  needObject<Key extends KeyOf<Shape>>(name: Key): Fields<ObjectsOf<ValueOf<Shape, Key>>>
  /** A list of objects; absent = empty. */
  objects<Key extends KeyOf<Shape>>(name: Key): Fields<ItemsOf<ValueOf<Shape, Key>>>[]
  /** As `objects`, but skips anything else (answers of upstreams). */
  objectsIf<Key extends KeyOf<Shape>>(name: Key): Fields<ItemsOf<ValueOf<Shape, Key>>>[]
  /** The value unchanged: for free-form maps (schemas, tool input, metadata) and values that are passed on. */
  json(name: KeyOf<Shape>): unknown
  /** The whole object; all its fields count as read. */
  whole(): JsonObject
  /** The fields not read so far, by their original names, without nulls. They count as read afterwards. */
  rest(): JsonObject
  /** Paths of this object's unread fields, without those of nested objects. */
  unread(): string[]
  /** Marks fields as read: a conversion does not need them. */
  ignore(...names: KeyOf<Shape>[]): void
  /** The same object, as one of the kinds its schema allows. */
  as<Kind>(): Fields<Kind>
}

/** A body being read. */
export interface ReadBody<Shape> {
  fields: Fields<Shape>
  /** Paths of all unread fields, in the order of the body. Unusual names are shown as `*`. */
  unread(): string[]
}

/** The error for a required field. */
export const missingField = (param: string) => new GatewayError('missing_field', `The field \`${param}\` is required.`, { param })
/** The error for an invalid value; `rule` completes "must be". */
export const invalidField = (param: string, rule: string) =>
  new GatewayError('invalid_value', `The field \`${param}\` must be ${rule}.`, { param })

/** Starts reading a body. `base` is its path, for a part of a larger body. */
export function readBody<Shape = JsonObject>(raw: JsonObject, rules: FieldRules = {}, base = ''): ReadBody<Shape> {
  const opened: ObjectFields[] = []
  const fields = new ObjectFields(raw, base, rules, opened)
  return { fields, unread: () => opened.filter((one) => !one.isRead()).flatMap((one) => one.unread()) }
}

const plainName = /^[A-Za-z_$][\w$.-]{0,63}$/

/** One class for all shapes: types are erased, and a request has thousands of objects. */
class ObjectFields implements Fields<JsonObject> {
  readonly path: string
  readonly #raw: JsonObject
  readonly #rules: FieldRules
  readonly #opened: ObjectFields[]
  /** Names as `raw` has them. */
  readonly #seen: string[] = []
  #isWhole = false

  constructor(raw: JsonObject, path: string, rules: FieldRules, opened: ObjectFields[]) {
    this.#raw = raw
    this.path = path
    this.#rules = rules
    this.#opened = opened
    opened.push(this)
  }

  /** Called for every object of a request, nearly all of which have been read completely. */
  isRead(): boolean {
    if (this.#isWhole) return true
    for (const name in this.#raw) if (!this.#seen.includes(name) && this.#raw[name] !== null) return false
    return true
  }

  unread(): string[] {
    return this.#unreadNames().map((name) => this.#under(plainName.test(name) ? name : '*'))
  }

  rest(): JsonObject {
    const names = this.#unreadNames()
    this.#seen.push(...names)
    return Object.fromEntries(names.map((name) => [name, this.#raw[name]]))
  }

  #unreadNames(): string[] {
    if (this.#isWhole) return []
    return Object.keys(this.#raw).filter((name) => this.#raw[name] !== null && !this.#seen.includes(name))
  }

  pathOf(name: string): string {
    return this.#under(this.#spelled(name))
  }

  has(name: string): boolean {
    return this.#peek(name) !== undefined
  }

  kind(name: string): ReturnType<Fields['kind']> {
    const value = this.#peek(name)
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
    const number = this.#number(name)
    if (number === undefined) return undefined
    if (Number.isFinite(number) && number >= least && number <= most) return number
    throw invalidField(this.pathOf(name), Number.isFinite(least) ? `a number from ${least} to ${most}` : 'a number')
  }

  integer(name: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
    const number = this.#number(name)
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
    return this.#open(value, this.pathOf(name))
  }

  objectIf(name: string): ObjectFields | undefined {
    const value = this.json(name)
    return isObject(value) ? this.#open(value, this.pathOf(name)) : undefined
  }

  needObject(name: string): ObjectFields {
    const fields = this.object(name)
    if (!fields) throw missingField(this.pathOf(name))
    return fields
  }

  objects(name: string): ObjectFields[] {
    const value = this.json(name)
    if (value === undefined) return []
    const path = this.pathOf(name)
    if (this.#rules.loneInList && isObject(value)) return [this.#open(value, path)]
    if (!Array.isArray(value)) throw invalidField(path, 'a list of objects')
    return value.map((item: unknown, index) => {
      if (!isObject(item)) throw invalidField(`${path}[${index}]`, 'an object')
      return this.#open(item, `${path}[${index}]`)
    })
  }

  objectsIf(name: string): ObjectFields[] {
    const value = this.json(name)
    const path = this.pathOf(name)
    if (this.#rules.loneInList && isObject(value)) return [this.#open(value, path)]
    const items: unknown[] = Array.isArray(value) ? value : []
    return items.flatMap((item, index) => (isObject(item) ? [this.#open(item, `${path}[${index}]`)] : []))
  }

  json(name: string): unknown {
    const spelled = this.#spelled(name)
    this.#seen.push(spelled)
    const value = this.#raw[spelled]
    return value === null ? undefined : value
  }

  whole(): JsonObject {
    this.#isWhole = true
    return this.#raw
  }

  ignore(...names: string[]): void {
    for (const name of names) this.#seen.push(this.#spelled(name))
  }

  as<Kind>(): Fields<Kind> {
    return this as unknown as Fields<Kind>
  }

  #peek(name: string): unknown {
    return this.#raw[this.#spelled(name)] ?? undefined
  }

  #number(name: string): number | undefined {
    const value = this.json(name)
    if (value === undefined) return undefined
    const number = this.#rules.number ? this.#rules.number(value) : value
    return typeof number === 'number' ? number : Number.NaN
  }

  #spelled(name: string): string {
    const { spelling } = this.#rules
    return spelling ? spelling(this.#raw, name) : name
  }

  #under(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }

  #open(raw: JsonObject, path: string): ObjectFields {
    return new ObjectFields(raw, path, this.#rules, this.#opened)
  }
}
