/**
 * Writing a canonical object field by field, so that none can vanish: a table names every key of the object, and a key
 * without an entry does not compile. The same for unions: a table names every kind.
 */
import type { LossList } from './loss.ts'

/** The entry of a field that another entry of the same table, or the function around it, writes along with its own. */
export const writtenElsewhere = 'written elsewhere'

type FieldWriter<Value, Context, Source> =
  | ((value: Exclude<Value, undefined>, context: Context, source: Source) => Readonly<Record<string, unknown>> | undefined)
  | typeof writtenElsewhere

/**
 * How a dialect writes each field of `Source`. An entry gets the value, never undefined, and the object it stands in; it
 * returns wire fields to merge. A dialect that has no place for the field records a loss there, or throws `unsupported_value`.
 * `kind` needs no entry: it says which table writes an object.
 */
export type FieldWriters<Source, Context> = {
  readonly [Key in Exclude<keyof Required<Source>, 'kind'>]: FieldWriter<Source[Key], Context, Source>
} & { readonly [Key in Extract<keyof Source, 'kind'>]?: FieldWriter<Source[Key], Context, Source> }

/** The wire fields of every field that `source` has, in the order of the table; later ones win. */
export function writeFields<Source extends object, Context>(
  source: Source,
  writers: FieldWriters<Source, Context>,
  context: Context,
): Record<string, unknown> {
  const written: Record<string, unknown> = {}
  for (const key in writers) {
    const value = source[key as unknown as keyof Source]
    const write = (writers as Readonly<Record<string, unknown>>)[key]
    if (value !== undefined && typeof write === 'function') Object.assign(written, write(value, context, source))
  }
  return written
}

/** The entry of a field that has no place in a dialect and that nobody will miss there. */
export const forgets =
  (field: string, reason: string) =>
  (_value: unknown, { losses }: { readonly losses: LossList }): undefined => {
    losses.forgotten(field, reason)
  }

/** The entry of a field that a dialect neither needs nor misses: it says the same some other way, or the field is Parley's own. */
export const unsaid = (): undefined => undefined

/** What a dialect does with each kind of a union (parts, tools). */
export type KindWriters<Union extends { kind: string }, Context, Written> = {
  readonly [Kind in Union['kind']]: (value: Extract<Union, { kind: Kind }>, context: Context) => Written
}

/** What the entry for the kind of `value` answers. */
export function writeKind<Union extends { kind: string }, Context, Written>(
  value: Union,
  writers: KindWriters<Union, Context, Written>,
  context: Context,
): Written {
  const write = writers[value.kind as Union['kind']] as (value: Union, context: Context) => Written
  return write(value, context)
}
