/**
 * Writing a canonical object field by field, so that none can vanish: a table names every key of the object, and a key
 * without an entry does not compile.
 */

/** The entry of a field that another entry of the same table writes along with its own. */
export const writtenElsewhere = 'written elsewhere'

/**
 * How a dialect writes each field of `Source`. An entry gets the value, never undefined, and answers wire fields to merge;
 * a dialect that has no place for the field records a loss there, or throws `unsupported_value`.
 */
export type FieldWriters<Source, Context> = {
  readonly [Key in keyof Required<Source>]:
    | ((value: Exclude<Source[Key], undefined>, context: Context) => Readonly<Record<string, unknown>> | undefined)
    | typeof writtenElsewhere
}

/** The wire fields of every field that `source` has, in the order of the table; later ones win. */
export function writeFields<Source extends object, Context>(
  source: Source,
  writers: FieldWriters<Source, Context>,
  context: Context,
): Record<string, unknown> {
  const written: Record<string, unknown> = {}
  for (const key in writers) {
    const value = source[key as keyof Source]
    const write: unknown = writers[key as keyof Source]
    if (value !== undefined && typeof write === 'function') Object.assign(written, write(value, context))
  }
  return written
}
