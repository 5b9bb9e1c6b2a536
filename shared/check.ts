/** Compiled checks of values from outside. A fault names the field and never repeats the value. */
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { expectation } from './expectation.ts'
import type { Static, TSchema } from './typebox.ts'

/** One thing that is wrong with a value. */
export interface Fault {
  code: 'unknown_field' | 'missing_field' | 'invalid_value'
  path: string[]
  /** What was expected, worded from the schema alone. */
  message: string
}

/** A compiled schema. */
export interface Checker<T> {
  accepts(value: unknown): value is T
  /**
   * The first `most` faults, up to a list that is too long; all when absent. At most one per field; empty when the value is accepted.
   */
  faults(value: unknown, most?: number): Fault[]
}

/** Compiles a schema when it is first used; both functions are cheap afterwards. */
export function checker<S extends TSchema>(schema: S): Checker<Static<S>> {
  let made: TypeCheck<S> | undefined
  const compiled = () => {
    made ??= TypeCompiler.Compile(schema)
    return made
  }
  return {
    accepts: (value): value is Static<S> => compiled().Check(value),
    faults(value, most = Number.POSITIVE_INFINITY) {
      const byPath = new Map<string, Fault>()
      for (const error of inVariants(compiled().Errors(value))) {
        if (!byPath.has(error.path)) byPath.set(error.path, fault(error))
        // The items of a list that is too long would be looked at one by one, also where nothing else is wrong with them.
        const isLong = error.type === ValueErrorType.ArrayMaxItems && most < Number.POSITIVE_INFINITY
        if (isLong || byPath.size >= most) break
      }
      return [...byPath.values()]
    },
  }
}

/**
 * For a union, the faults within the variant of the same kind as the value, which are more helpful than "no variant fits"; where several
 * kinds of plain values are allowed, all of them are named instead. Lazy: a list can have one fault per item.
 */
function* inVariants(errors: Iterable<ValueError>): Generator<ValueError> {
  for (const error of errors) {
    const variant =
      error.type === ValueErrorType.Union && !isChoice(error.schema)
        ? error.errors.map(opened).find(({ first }) => first && (isWithin(first, error) || !kinds.has(first.type)))
        : undefined
    if (variant?.first) {
      yield* inVariants([variant.first])
      yield* inVariants(variant.rest)
    } else yield error
  }
}

/** Whether the fault is in a field of the object that the union is about. */
const isWithin = (fault: ValueError, { path, value }: ValueError) =>
  fault.path !== path && typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a union contains an enumeration or constants other than null: then no single variant describes what is allowed. */
const isChoice = ({ anyOf = [] }: TSchema) => (anyOf as TSchema[]).some((one) => 'const' in one)

/** The first fault, and an iterator over the others, which can be consumed once. */
function opened(errors: Iterable<ValueError>): { first: ValueError | undefined; rest: Iterable<ValueError> } {
  const all = errors[Symbol.iterator]()
  const first = all.next()
  return { first: first.done ? undefined : first.value, rest: { [Symbol.iterator]: () => all } }
}

/** Whether the value is of an entirely different kind. */
const kinds = new Set([
  ValueErrorType.Array,
  ValueErrorType.Boolean,
  ValueErrorType.Integer,
  ValueErrorType.Null,
  ValueErrorType.Number,
  ValueErrorType.Object,
  ValueErrorType.String,
])

function fault(error: ValueError): Fault {
  const code = codeOf(error.type)
  return { code, path: segments(error.path), message: messages[code] ?? expectation(error) }
}

/** Messages of faults that are not about a value. */
const messages: Readonly<Record<string, string>> = { missing_field: 'This field is required', unknown_field: 'There is no such field' }

function codeOf(type: ValueErrorType): Fault['code'] {
  if (type === ValueErrorType.ObjectAdditionalProperties) return 'unknown_field'
  if (type === ValueErrorType.ObjectRequiredProperty) return 'missing_field'
  return 'invalid_value'
}

/** A JSON pointer as its segments. */
function segments(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}
