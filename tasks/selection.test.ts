import { describe, expect, test } from 'bun:test'
import { needsOf, readWords, select } from './lib/selection.mjs'

const files = ['e2e/agents.test.ts', 'e2e/reading.e2e.ts', 'server/wire/sse.test.ts', 'server/store/engine/open.test.ts']

test('options go to the runners, everything before them is a part of a path', () => {
  expect(readWords(['server/wire', '-t', 'events'])).toEqual({ paths: ['server/wire'], options: ['-t', 'events'] })
  expect(readWords([])).toEqual({ paths: [], options: [] })
})

test('a selection may be of all kinds', () => {
  expect(select(['reading', './server/wire'], files)).toEqual({
    unit: ['server/wire/sse.test.ts'],
    integration: [],
    browser: ['e2e/reading.e2e.ts'],
  })
  expect(select([], files)).toEqual({ unit: files.slice(2), integration: files.slice(0, 1), browser: files.slice(1, 2) })
  expect(select(['no such file'], files)).toEqual({ unit: [], integration: [], browser: [] })
})

describe('what files need', () => {
  const tree: Record<string, string> = {
    'package.json': JSON.stringify({ imports: { '#testing/*': './testing/*.ts', '#client/*': './client/*' } }),
    'a.test.ts': "import { expect } from 'bun:test'\nimport './b.ts'",
    'b.ts': "import type { Store } from '#testing/store'\nimport './a.test.ts'",
    'testing/store.ts': '/**\n * A server.\n *\n * @needs postgresql\n */\nexport const text = "@needs nothing"',
    'c.test.ts': "const script = join(import.meta.dir, './b.ts')",
    'd.e2e.ts': "import { test } from 'playwright/test'",
    'e.test.ts': "import { thing } from '#client/thing.tsx'",
  }
  const needs = (...paths: string[]) => [...needsOf(paths, (path: string) => tree[path])].sort()

  test('follows imports, relative and by alias, around a circle too', () => expect(needs('a.test.ts')).toEqual(['postgresql']))
  test('follows the paths of programs that a test starts', () => expect(needs('c.test.ts')).toEqual(['postgresql']))
  test('a browser, and the pages for it, where Playwright is', () => expect(needs('d.e2e.ts')).toEqual(['chromium', 'client']))
  test('nothing', () => expect(needs('e.test.ts')).toEqual([]))
  test('of this tree', () => {
    expect([...needsOf(select(['server/wire']).unit)]).toEqual([])
    // It names a folder like a file that it imports.
    expect([...needsOf(select(['testing/rules/messages.test.ts']).unit)]).toEqual([])
    expect([...needsOf(select(['server/store']).unit)]).toEqual(['postgresql'])
    expect([...needsOf(select(['e2e/agents.test.ts']).integration)]).toContain('agents')
    expect([...needsOf(select(['e2e/reading.e2e.ts']).browser)]).toEqual(expect.arrayContaining(['chromium', 'client']))
  })
})
