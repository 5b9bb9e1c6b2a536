/**
 * The interface for reading an external JSON object field by field. `Shape` is the type of a schema in `shared/protocols`: only
 * fields of the schema can be read.
 */
import type { JsonObject } from '#shared/json'

/** Conventions of a protocol family. */
export interface FieldRules {
  /** The snake_case spelling of a field; `name` itself if it has no underscore. Absent = one spelling only. */
  snake?(name: string): string
  /** The number that `value` represents, or undefined. Absent = JSON numbers only. */
  number?(value: unknown): number | undefined
  /** A single value may be given instead of a list. */
  loneInList?: true
}

type KeyOf<Shape> = Shape extends unknown ? keyof Shape & string : never
type ValueOf<Shape, Key> = Shape extends unknown ? (Key extends keyof Shape ? NonNullable<Shape[Key]> : never) : never
type ObjectsOf<Value> = Value extends readonly unknown[] ? never : Value extends object ? Value : unknown extends Value ? JsonObject : never
type ItemsOf<Value> = Value extends readonly (infer Item)[] ? ObjectsOf<NonNullable<Item>> : unknown extends Value ? JsonObject : never

/**
 * How to read the objects of a list. Most of them have only one or two text fields; those are read without opening them field by field,
 * since nothing can be missed.
 */
export interface ItemReader<Item, Read> {
  /** The text field of a plain object, and the second one if there are two. */
  first: KeyOf<Item>
  second?: KeyOf<Item>
  /** Both texts, the path of the list and the place in it. Undefined = the object is opened after all. */
  plain(first: string, second: string, path: string, index: number): Read | undefined
  /** Any other object. */
  read(item: Fields<Item>): Read
}

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
  /** One of a closed list of values. */
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
  /** As `objects`, but each is read at once, as the kind that the reader takes, and the plain ones are not opened. */
  each<Item, Read>(name: KeyOf<Shape>, reader: ItemReader<Item, Read>): Read[]
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
