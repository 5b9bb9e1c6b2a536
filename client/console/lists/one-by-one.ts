import { explain } from '#client/console/explain.ts'
import { asApiError } from '#client/console/load.ts'

/** Applies `act` to rows one after the other until one fails. Returns how many succeeded, and the error message if any. */
export async function oneByOne<Row>(rows: readonly Row[], act: (row: Row) => Promise<unknown>): Promise<{ done: number; refusal: string }> {
  let done = 0
  try {
    for (const row of rows) {
      await act(row)
      done += 1
    }
    return { done, refusal: '' }
  } catch (thrown) {
    return { done, refusal: explain(asApiError(thrown)) }
  }
}

/** At most so many names are written out; the rest is counted. */
const mostNamed = 8

/** The first names, and how many more there are. */
export const firstNames = (rows: readonly { name: string }[]): { names: string; more: number } => ({
  names: rows
    .slice(0, mostNamed)
    .map(({ name }) => name)
    .join(', '),
  more: Math.max(0, rows.length - mostNamed),
})
