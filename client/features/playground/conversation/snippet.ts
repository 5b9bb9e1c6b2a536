/** The words around a match, for the list of conversations. */

/** Text before, in and after a match. */
export interface Snippet {
  before: string
  match: string
  after: string
}

/** Characters before a match (few, so that the match is visible in a narrow list) and after it. */
const ahead = 12
const behind = 64

/** The first match of `wanted` (lower case) in `text`, with the words around it in one line; undefined without a match. */
export function snippetOf(text: string, wanted: string): Snippet | undefined {
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted)
  if (at < 0) return undefined
  const from = Math.max(0, at - ahead)
  const end = at + wanted.length
  const line = (part: string) => part.replace(/\s+/g, ' ')
  return {
    // From the beginning of a word, in languages that separate words.
    before: from > 0 ? `…${line(text.slice(from - 1, at).replace(/^\S+\s/, '')).trimStart()}` : line(text.slice(0, at)).trimStart(),
    match: line(text.slice(at, end)),
    after: `${line(text.slice(end, end + behind)).trimEnd()}${end + behind < text.length ? '…' : ''}`,
  }
}
