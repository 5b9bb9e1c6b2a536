/** The project's documents refer only to existing files, and README stays short. */
import { expect, test } from 'bun:test'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dir, '../..')
const pages = [
  'README.md',
  'README.zh.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...['billing', 'losses', 'mapping', 'operations', 'performance', 'runtimes', 'security'].map((name) => `docs/${name}.md`),
]
const { imports }: { imports: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Paths from the root, anywhere in a page. `*` is any name; a path with `<page>` is yet to be created, so only its room must exist. */
const fromRoot = /(?<![\w./@#<-])(?:server|client|shared|db|docs|e2e|tasks|testing|bench)\/(?:[\w*-]|<\w+>|[./](?=[\w*<-]))*/g
/** Imports by alias, as code writes them. */
const byAlias = /#[a-z][\w-]*\/[\w/-]+/g
const links = /\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g

const exists = (path: string) => {
  const pattern = path.includes('<') ? (/^[^<]*?\/(?:[^/<]+(?=\/))?/.exec(path)?.[0] ?? path) : path
  return pattern.includes('*') ? globSync(pattern, { cwd: root }).length > 0 : existsSync(join(root, pattern))
}

/** The file that an import by alias means; undefined where package.json has no such alias. */
function targetOf(name: string): string | undefined {
  const alias = Object.keys(imports).find((one) => name.startsWith(one.replace('*', '')))
  return alias && imports[alias]?.replace('*', name.slice(alias.length - 1))
}

/** References of a page to files that do not exist. */
function missing(page: string, text: string): string[] {
  const linked = [...text.matchAll(links)]
    .map(([, link, attribute]) => (link ?? attribute ?? '').replace(/#.*/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
  const aliased = text.match(byAlias) ?? []
  return [
    ...linked.filter((target) => !exists(join(dirname(page), target))),
    ...(text.match(fromRoot) ?? []).filter((path) => !exists(path)),
    ...aliased.filter((name) => !exists(targetOf(name) ?? 'unknown alias')),
  ]
}

test.each(pages)('%s names only what exists', (page) => {
  expect(missing(page, readFileSync(join(root, page), 'utf8'))).toEqual([])
})

/** The structure of a page without its sentences: headings by level, inline code, link targets, and the size of tables. */
function partsOf(text: string) {
  const blocks = [...text.matchAll(/^```\w*\n.*?^```$/gms)].map(([block]) => block)
  const prose = text.replace(/^```\w*\n.*?^```$/gms, '')
  return {
    blocks,
    headings: (prose.match(/^#+(?= )/gm) ?? []).map(({ length }) => length),
    code: [...prose.matchAll(/`[^`\n]+`/g)].map(([code]) => code),
    links: [...prose.matchAll(links)].map(([, link, attribute]) => link ?? attribute).filter((to) => !to?.startsWith('README')),
    rows: (prose.match(/^\|/gm) ?? []).length,
  }
}

test('README in Chinese is in step: the same headings, commands, links and tables', () => {
  const [english, chinese] = ['README.md', 'README.zh.md'].map((page) => partsOf(readFileSync(join(root, page), 'utf8')))
  expect(chinese).toEqual(english as ReturnType<typeof partsOf>)
})

test('a reference to a missing file is found: link, picture, path, pattern, alias', () => {
  const text = '[a](b.md) <img src="c.png"> `server/nothing` `testing/nothing/<p>.ts` `#wire/nothing` `#nothing/x`'
  expect(missing('docs/page.md', text)).toEqual([
    'b.md',
    'c.png',
    'server/nothing',
    'testing/nothing/<p>.ts',
    '#wire/nothing',
    '#nothing/x',
  ])
  const good =
    '[a](billing.md#limits) [b](https://example.org/x) `server/protocols/<p>` `client/features/*` `#testing/sample` server/http, db/.'
  expect(missing('docs/page.md', good)).toEqual([])
})

test('README has fewer than 900 words', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').split(/\s+/).filter(Boolean).length).toBeLessThan(900)
})
