/** Names and values, as lines of text and as rows of a form. */

/** A row of a form. */
export interface Pair {
  name: string
  value: string
}

/** The pairs of the lines, split at the first `mark`. Lines without one are left out. */
export function pairsOf(lines: string, mark: string): Record<string, string> {
  const pairs = lines.split('\n').flatMap((line) => {
    const at = line.indexOf(mark)
    return at <= 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + mark.length).trim()] as const]
  })
  return Object.fromEntries(pairs)
}

/** The rows for these values. */
export const rowsOf = (values: Readonly<Record<string, string>>): Pair[] => Object.entries(values).map(([name, value]) => ({ name, value }))

/** The values of the rows. Rows without a name are left out. */
export const valuesOf = (rows: readonly Pair[]): Record<string, string> =>
  Object.fromEntries(rows.flatMap(({ name, value }) => (name.trim() === '' ? [] : [[name.trim(), value.trim()]])))
