/** Parses CHANGELOG.md: versions (`##`) with parts (`###`) and their entries (`-`), and nothing else of Markdown. */

/** Entries about one subject. */
export interface ChangePart {
  /** Undefined for entries before the first heading: the newest. */
  title: string | undefined
  entries: string[]
}

/** One version. */
export interface Version {
  title: string
  parts: ChangePart[]
}

/** The versions, in the order of the file; parts without entries are left out. */
export function readChanges(markdown: string): Version[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [opening = '', ...parts] = text.split(/^### /m)
      const [title, newest] = headed(opening)
      const all = [{ title: undefined, entries: entriesOf(newest) }, ...parts.map(partOf)]
      return { title, parts: all.filter(({ entries }) => entries.length > 0) }
    })
}

function partOf(text: string): ChangePart {
  const [title, rest] = headed(text)
  return { title, entries: entriesOf(rest) }
}

function headed(text: string): [title: string, rest: string] {
  const [title = '', ...rest] = text.split('\n')
  return [title.trim(), rest.join('\n')]
}

const entriesOf = (text: string) =>
  text
    .split(/^- /m)
    .slice(1)
    .map((entry) => entry.trim().replace(/\s+/g, ' '))
