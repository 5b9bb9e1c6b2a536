/** The rows of a raw statement: postgres.js returns an array, PGlite an object containing one. Values are as the driver parsed them. */
export function returned<Row>(result: unknown): Row[] {
  return (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows) as Row[]
}
