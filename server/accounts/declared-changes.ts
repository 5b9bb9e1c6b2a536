/** Compares the rows of the file with the stored ones and returns the writes needed, none when nothing changed. Pure. */
import { GatewayError } from '#shared/errors'
import { sameValue } from '#shared/same-value'
import type { Deed } from '#store/accounts/audit'

/** A row to insert, or columns of an existing row to update. */
export type Step<Row> = { fresh: Row } | Changed<Row>
interface Changed<Row> {
  id: string
  columns: Partial<Row>
}

/** Steps split into inserts and updates, with their audit entries. */
export interface InsertsAndUpdates<Row> {
  fresh: Row[]
  changed: Changed<Row>[]
  /** One per step. */
  deeds: Deed[]
}

/** Splits steps into inserts and updates. `kind`: the name of such a row in the audit trail. */
export function insertsAndUpdates<Row>(kind: string, steps: readonly Step<Row>[], idOf: (row: Row) => string): InsertsAndUpdates<Row> {
  const fresh = steps.flatMap((step) => ('fresh' in step ? [step.fresh] : []))
  const changed = steps.flatMap((step) => ('id' in step ? [step] : []))
  const deeds = [
    ...fresh.map((row) => ({ action: `${kind}.create`, target: idOf(row) })),
    ...changed.map(({ id }) => ({ action: `${kind}.change`, target: id })),
  ]
  return { fresh, changed, deeds }
}

/** Applies `work` to each row and keeps the defined results; a GatewayError from a row gets the row's index in its `param`. */
export function eachRow<Row, Result>(rows: readonly Row[], work: (row: Row) => Result | undefined): Result[] {
  return rows.flatMap((row, index): Result[] => {
    try {
      const result = work(row)
      return result === undefined ? [] : [result]
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.param === undefined) throw thrown
      throw new GatewayError(thrown.code, thrown.message, { param: `${index}.${thrown.param}`, cause: thrown })
    }
  })
}

/** The wanted columns that differ from what is stored; undefined when none does. */
export function changes<T extends object>(wanted: T, stored: { [K in keyof T]?: unknown }): Partial<T> | undefined {
  const differing = Object.entries(wanted).filter(([name, value]) => !sameValue(plain(value), plain(stored[name as keyof T])))
  return differing.length === 0 ? undefined : (Object.fromEntries(differing) as Partial<T>)
}

/** Dates as text, so that two equal times compare equal. */
const plain = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)
