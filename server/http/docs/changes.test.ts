import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { changes } from './change-page.ts'
import { readChanges } from './changes.ts'
import { inEnglish } from './say.ts'

const text = readFileSync(`${import.meta.dir}/../../../CHANGELOG.md`, 'utf8')
const idsIn = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)

test('versions have parts, and what stands before the first heading is a part without one', () => {
  expect(
    readChanges('# Changelog\n\nAbout.\n\n## Next\n\n- One\n  and more.\n- Two\n\n### Security\n\n- Three\n\n## 0.1\n\n### Console\n'),
  ).toEqual([
    {
      title: 'Next',
      parts: [
        { title: undefined, entries: ['One and more.', 'Two'] },
        { title: 'Security', entries: ['Three'] },
      ],
    },
    { title: '0.1', parts: [] },
  ])
})

test('no entry of the changelog is lost, and none stands there twice', () => {
  const entries = readChanges(text).flatMap(({ parts }) => parts.flatMap((part) => part.entries))
  expect(entries.length).toBe(text.match(/^- /gm)?.length ?? 0)
  expect(entries.length).toBeGreaterThan(300)
  const seen = new Set<string>()
  expect(entries.filter((entry) => seen.size === seen.add(entry).size)).toEqual([])
  // Words that stand in no entry: headings and the introduction alone.
  const words = (of: string) => of.replace(/^(#.*|Changes that .*)$/gm, '').match(/\S{12,}/g) ?? []
  const all = entries.join('\n')
  expect(words(text.slice(text.indexOf('## '))).filter((word) => !all.includes(word))).toEqual([])
})

test('what breaks the contract stands under its heading, and nothing else does', () => {
  const [unreleased] = readChanges(text)
  const marked = (entry: string) => /\*\*breaking\*\*/i.test(entry)
  const found = (unreleased?.parts ?? []).flatMap(({ title, entries }) => entries.filter(marked).map(() => title))
  // The newest are sorted at the next release.
  expect([...new Set(found)].filter((title) => title !== undefined)).toEqual(['Breaking changes'])
  const breaking = unreleased?.parts.find(({ title }) => title === 'Breaking changes')
  expect(breaking?.entries.filter((entry) => !marked(entry))).toEqual([])
})

test('the page has every heading and entry with an anchor of its own, and no link into nothing', () => {
  const [page] = changes(text, inEnglish)
  const html = page?.content.html ?? ''
  const ids = idsIn(html)
  expect(new Set(ids).size).toBe(ids.length)
  expect(html.match(/<li /g)?.length).toBe(text.match(/^- /gm)?.length)
  expect(page?.deep?.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual([])
  expect(html).not.toMatch(/\]\(|<a /)
  expect(changes(undefined, inEnglish)).toEqual([])
})
