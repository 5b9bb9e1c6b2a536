/** The archive for machines without a network has what a start there needs, and the pages that its own pages lead to. */
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { arrangeOffline } from './lib/offline.mjs'

/** Files that a page leads to. */
const linksOf = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)/g)].map(([, path = '']) => path).filter((path) => !path.includes(':'))

test('the executable, the files to deploy it with, and pages without a link into nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-offline-'))
  try {
    // Any file stands for the executable, which takes half a minute to make; e2e/packaged.test.ts starts a real one.
    arrangeOffline('package.json', join(folder, 'parley'))
    const has = (path: string) => existsSync(join(folder, 'parley', path))
    const needed = ['parley', 'LICENSE', 'compose.yaml', 'deploy/systemd/parley.service', 'deploy/prometheus/parley.rules.yaml']
    expect(needed.filter((path) => !has(path))).toEqual([])
    const docs = readdirSync(join(folder, 'parley/docs')).filter((name) => name.endsWith('.md'))
    const pages = ['README.md', 'README.zh.md', 'CHANGELOG.md', ...docs.map((name) => `docs/${name}`)]
    const links = pages.flatMap((page) => linksOf(join(folder, 'parley', page)).map((path) => join(dirname(page), path)))
    expect(links.length).toBeGreaterThan(50)
    expect(links.filter((path) => !has(path))).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
