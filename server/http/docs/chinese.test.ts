/** The reference in Chinese is complete: every text that a page shows has its row, and every row is shown somewhere. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Method, Route } from '#http/request/route'
import { chinese } from './chinese/index.ts'
import { docPages } from './doc-pages.ts'
import { describe, routeDocs } from './openapi.ts'
import { referencePage } from './page.ts'
import { inEnglish, preferred, type Say, sayFrom } from './say.ts'

const routes = routeDocs.map(({ route }): Route => {
  const [method, path = ''] = route.split(' ')
  return { method: method as Method, path, envelope: 'chat', openedBy: ['read', 'usage'], handle: () => new Response() }
})
const facts = {
  routeDocs: describe(routes),
  publicUrl: new URL('http://127.0.0.1:3000'),
  version: '1',
  losses: readFileSync(`${import.meta.dir}/../../../docs/losses.md`, 'utf8'),
  changelog: readFileSync(`${import.meta.dir}/../../../CHANGELOG.md`, 'utf8'),
}
const said = new Set<string>()
const noted: Say = (text, values) => {
  said.add(text)
  return inEnglish(text, values)
}
const english = docPages({ ...facts, say: noted })
referencePage({ ...facts, say: noted }, 'en')

/** Code alone, and fields by their name (`gemini: labels`), are the same in every language. */
const isCode = (text: string) => !/[a-z]/i.test(text.replace(/`[^`]+`/g, '')) || /^[a-z]+: [\w.]+$/.test(text)

test('no text is missing in Chinese', () => {
  expect([...said].filter((text) => chinese[text] === undefined && !isCode(text))).toEqual([])
})

test('no text stands there that nothing shows', () => {
  expect(Object.keys(chinese).filter((text) => !said.has(text))).toEqual([])
})

test('code and values are the same in both languages', () => {
  const marks = (text: string) => (text.match(/`[^`]+`|\{\w+\}/g) ?? []).toSorted()
  const differing = Object.entries(chinese).filter(([text, own]) => marks(text).join() !== marks(own).join())
  expect(differing).toEqual([])
})

test('only the language differs: the same pages, endpoints, fields and samples', () => {
  const bones = ({ pages }: typeof english) =>
    pages.map(({ id, endpoints }) => [
      id,
      endpoints.map(({ id, takes, gives, samples }) => [id, [...takes, ...gives].map(({ path }) => path), samples.map(({ text }) => text)]),
    ])
  const translated = docPages({ ...facts, say: sayFrom(chinese) })
  expect(bones(translated)).toEqual(bones(english))
  expect(translated.pages.filter(({ title, html }) => !/\p{Script=Han}/u.test(title + html)).map(({ id }) => id)).toEqual([])
})

test('the page without scripts has the same parts in both languages, and no English sentence in the Chinese one', () => {
  const page = (language: 'en' | 'zh', say: Say) => referencePage({ ...facts, say }, language)
  const [own, other] = [page('en', inEnglish), page('zh', sayFrom(chinese))]
  const ids = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(ids(other)).toEqual(ids(own))
  const texts = other
    .replace(/<(style|pre|code)[^>]*>[\s\S]*?<\/\1>/g, '')
    .split(/<[^>]+>/)
    .map((text) => text.trim())
  expect(texts.filter((text) => /[a-z]+ [a-z]+ [a-z]+/.test(text) && !/\p{Script=Han}/u.test(text))).toEqual([])
})

test('the language that a browser prefers', () => {
  const asked = ['zh-CN,zh;q=0.9,en;q=0.8', 'en-US,en;q=0.9,zh;q=0.8', 'de, zh;q=0.5', 'en;q=0.1, zh-Hant;q=0.2', 'de', '*', 'zh;q=0', null]
  expect(asked.map(preferred)).toEqual(['zh', 'en', 'zh', 'zh', 'en', 'en', 'en', 'en'])
})
