/** The rows of a raw statement: postgres.js answers the array itself, PGlite an object around it. Values are as the driver made them. */
export function returned<Row>(result: unknown): Row[] {
  return (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows) as Row[]
}
