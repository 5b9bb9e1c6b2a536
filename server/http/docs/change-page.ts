/** CHANGELOG.md as a page of the reference: by version and subject, with an anchor for each heading and each entry. */
import { type ChangePart, readChanges } from './changes.ts'
import { type Html, html, prose, type Section } from './html.ts'
import type { Say } from './say.ts'

/** The page; nothing where CHANGELOG.md is not installed. Entries are in English in every language. */
export function changes(markdown: string | undefined, say: Say): Section[] {
  if (markdown === undefined) return []
  const versions = readChanges(markdown)
  const idOf = anchors()
  const [newest, ...older] = versions.map((version) => {
    const title = version.title === 'Unreleased' ? say('Not released yet') : version.title
    return {
      title,
      id: idOf(version.title),
      parts: version.parts.map((part) => ({ ...part, id: idOf(subjectOf(part)), title: say(subjectOf(part)) })),
    }
  })
  const content = html`<p>${prose(say('What changed, for whoever runs or calls Parley. The newest entries come first, then all others by their subject. **breaking** marks what may need a change on your side.'))}</p>
${[newest, ...older].filter((one) => one !== undefined).map(({ id, title, parts }) => html`<h3 id="${id}">${title}</h3>\n${parts.map((part) => partEntry(part, idOf))}`)}`
  const deep = [...(newest?.parts ?? []), ...older].map(({ id, title }) => ({ id, title }))
  return [{ id: 'changelog', title: say('Changelog'), content, deep }]
}

const subjectOf = ({ title }: ChangePart) => title ?? 'Newest'

const partEntry = ({ id, title, entries }: ChangePart & { id: string }, idOf: (text: string) => string): Html =>
  html`<h4 id="${id}">${title ?? ''}</h4>
<ul>${entries.map((entry) => html`<li id="${idOf(entry)}">${prose(withoutLinks(entry))}</li>\n`)}</ul>
`

/** Links point to files in the repository, which this server does not serve: the path is shown instead. */
const withoutLinks = (entry: string) => entry.replace(/\[([^\]]+)\]\([^)]+\)/g, '`$1`')

/** Unique anchors for the given texts, from their first words. */
function anchors(): (text: string) => string {
  const taken = new Map<string, number>()
  return (text) => {
    const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
    const id = `change-${words.slice(0, 8).join('-')}`
    const before = taken.get(id) ?? 0
    taken.set(id, before + 1)
    return before === 0 ? id : `${id}-${before + 1}`
  }
}
