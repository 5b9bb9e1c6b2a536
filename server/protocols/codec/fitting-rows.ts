/** Limits a page of a list by its bytes, so that long model names cannot stall requests for the list. Pure. */

/** Bytes of a page's rows as JSON. */
const mostBytes = 1024 * 1024

/** The first rows, as many as fit into a page; always one, if there is any. */
export function fittingRows<Row>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1
    return bytes > mostBytes && index > 0
  })
  return end < 0 ? rows : rows.slice(0, end)
}
