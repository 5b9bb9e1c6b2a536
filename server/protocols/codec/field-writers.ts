/**
 * Writes a canonical object field by field, so that none can be forgotten: a table lists every key of the object, and a missing entry
 * is a compile error. The same for unions: a table lists every kind. A writer without a table names every key in a type.
 */
import type { Loss, LossList } from '#canonical/loss'

export type { WrittenFields, WrittenKind } from '#canonical/written-fields'

/** The entry of a field that another entry, or the surrounding function, writes too. */
export const writtenElsewhere = 'written elsewhere'

type FieldWriter<Value, Context, Source> =
  | ((value: Exclude<Value, undefined>, context: Context, source: Source) => Readonly<Record<string, unknown>> | undefined)
  | typeof writtenElsewhere

/**
 * How a dialect writes each field of `Source`. An entry gets the defined value and its object; it returns wire fields to merge. A
 * dialect without such a field records a loss there, or throws `unsupported_value`. `kind` needs no entry: it selects the table.
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

/** The entry of a field that a dialect lacks and whose loss does not matter. */
export const leavesOut =
  (field: string, reason: string) =>
  (_value: unknown, { losses }: { readonly losses: LossList }): undefined => {
    losses.leftOut(field, reason)
  }

/** The entry of a field that a dialect does not need: it expresses it another way, or the field is Parley's own. */
export const notNeeded = (): undefined => undefined

/** What a dialect does with each kind of a union (parts, tools). */
export type KindWriters<Union extends { kind: string }, Context, Written> = {
  readonly [Kind in Union['kind']]: (value: Extract<Union, { kind: Kind }>, context: Context) => Written
}

/** The result of the entry for the kind of `value`. */
export function writeKind<Union extends { kind: string }, Context, Written>(
  value: Union,
  writers: KindWriters<Union, Context, Written>,
  context: Context,
): Written {
  const write = writers[value.kind as Union['kind']] as (value: Union, context: Context) => Written
  return write(value, context)
}

/** An empty list. */
export function lossList(): LossList {
  const losses: Loss[] = []
  const add = (field: string, what: Loss['what'], reason: string, meaning: boolean) => {
    if (!losses.some((loss) => loss.field === field && loss.what === what)) losses.push({ field, what, reason, meaning })
  }
  return {
    losses,
    adapted: (field, reason) => add(field, 'adapted', reason, false),
    altered: (field, reason) => add(field, 'adapted', reason, true),
    dropped: (field, reason) => add(field, 'dropped', reason, true),
    leftOut: (field, reason) => add(field, 'dropped', reason, false),
  }
}
