/** Names and values as lines of text. */

/** The pairs of the lines, split at the first `mark`. Lines without one are left out. */
export function pairsOf(lines: string, mark: string): Record<string, string> {
  const pairs = lines.split('\n').flatMap((line) => {
    const at = line.indexOf(mark)
    return at <= 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + mark.length).trim()] as const]
  })
  return Object.fromEntries(pairs)
}

/** The lines for these pairs. */
export const linesFor = (pairs: Record<string, string>, mark: string): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}${mark}${value}`)
    .join('\n')
