/** Many rows in few statements. */

/** A statement has room for 65,535 values; no table here has more than 30 columns. */
const most = 1_000

/** Hands the rows on, so many at a time that a statement can hold them; never none. */
export async function inLots<Row>(rows: readonly Row[], work: (lot: Row[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += most) await work(rows.slice(from, from + most))
}
