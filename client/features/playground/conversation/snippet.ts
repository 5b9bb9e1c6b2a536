/** The words around a match, for the list of conversations. */

/** Text before, in and after a match. */
export interface Snippet {
  before: string
  match: string
  after: string
}

const around = 32

/** The first match of `wanted` (lower case) in `text`, with the words around it in one line; undefined without a match. */
export function snippetOf(text: string, wanted: string): Snippet | undefined {
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted)
  if (at < 0) return undefined
  const from = Math.max(0, at - around)
  const end = at + wanted.length
  const line = (part: string) => part.replace(/\s+/g, ' ')
  return {
    before: `${from > 0 ? '…' : ''}${line(text.slice(from, at)).trimStart()}`,
    match: line(text.slice(at, end)),
    after: `${line(text.slice(end, end + 2 * around)).trimEnd()}${end + 2 * around < text.length ? '…' : ''}`,
  }
}
