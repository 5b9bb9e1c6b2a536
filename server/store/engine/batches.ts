/** Splits many rows into a few statements. */

/** A statement takes at most 65,535 values; no table here has more than 30 columns. */
const most = 1_000

/** Calls `work` with batches small enough for one statement, one after the other; never with an empty batch. */
export async function inLots<Row>(rows: readonly Row[], work: (lot: Row[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += most) await work(rows.slice(from, from + most))
}
