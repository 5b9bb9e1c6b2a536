/** Long text in parts of whole lines, so that the browser lays out only the visible ones. */

const [leastCharacters, leastLines] = [2_000, 40]

/**
 * Parts of `text` without the line ends between them. Appending to the text changes the last part only. No part but the last
 * ends in an empty line, which would not be seen at the end of a block.
 */
export function partsOf(text: string): string[] {
  const parts: string[] = []
  let start = 0
  let lines = 0
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    lines += 1
    if ((lines < leastLines && end - start < leastCharacters) || end === start || text[end - 1] === '\n') continue
    parts.push(text.slice(start, end))
    start = end + 1
    lines = 0
  }
  return [...parts, text.slice(start)]
}

/** How many lines a part has. */
export function lineCount(part: string): number {
  let count = 1
  for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', at + 1)) count += 1
  return count
}
