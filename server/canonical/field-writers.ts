/**
 * Writing a canonical object field by field, so that none can vanish: a table names every key of the object, and a key
 * without an entry does not compile. The same for unions: a table names every kind.
 */

/** The entry of a field that another entry of the same table writes along with its own. */
export const writtenElsewhere = 'written elsewhere'

/** The entry of a field that is left out without a loss, because nobody can miss it; a comment says why. */
export const leftOut = 'left out'

/** The keys of a canonical object, without the `kind` that says which table it is written by. */
type FieldOf<Source> = Exclude<keyof Required<Source>, 'kind'>

/**
 * How a dialect writes each field of `Source`. An entry gets the value, never undefined, and the whole source, and answers
 * wire fields to merge; a dialect that has no place for the field records a loss there, or throws `unsupported_value`.
 */
export type FieldWriters<Source, Context> = {
  readonly [Key in FieldOf<Source>]:
    | ((value: Exclude<Source[Key], undefined>, context: Context, source: Source) => Readonly<Record<string, unknown>> | undefined)
    | typeof writtenElsewhere
    | typeof leftOut
}

/** The wire fields of every field that `source` has, in the order of the table; later ones win. */
export function writeFields<Source extends object, Context>(
  source: Source,
  writers: FieldWriters<Source, Context>,
  context: Context,
): Record<string, unknown> {
  const written: Record<string, unknown> = {}
  for (const key in writers) {
    const value = source[key as FieldOf<Source>]
    const write: unknown = writers[key as FieldOf<Source>]
    if (value !== undefined && typeof write === 'function') Object.assign(written, write(value, context, source))
  }
  return written
}

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
