/**
 * Types for code that copies a canonical object without a table: it names every field of its source, so that a field that is added
 * later does not compile until it is named. They cost nothing at run time.
 */

/** `written` includes fields that decide how others are written, or that are a loss. `notNeeded`: the output does not need it. */
type Treatment = 'written' | 'notNeeded'

type FieldOf<Source> = Source extends unknown ? Exclude<keyof Source, 'kind'> : never
type Treatments<Source> = { readonly [Key in FieldOf<Source>]: Treatment } & { readonly kind?: 'written' }
type Stale<Source, Named> = { readonly [Key in Exclude<keyof Named, FieldOf<Source> | 'kind'>]: never }
type Kept<Named> = { [Key in keyof Named]-?: Named[Key] extends 'written' ? Key : never }[keyof Named]

/** The view of `Source` for the code: the fields that it names as written. Every field must be named; `kind` may be. */
export type WrittenFields<Source, Named extends Treatments<Source> & Stale<Source, Named>> = Source extends unknown
  ? Pick<Source, Extract<keyof Source, 'kind' | Kept<Named>>>
  : never

/** The same for one kind of a union. */
export type WrittenKind<
  Union extends { kind: string },
  Kind extends Union['kind'],
  Named extends Treatments<Extract<Union, { kind: Kind }>> & Stale<Extract<Union, { kind: Kind }>, Named>,
> = WrittenFields<Extract<Union, { kind: Kind }>, Named>
