/** The forty cases that break converters, each a test by its name somewhere in the project: `T16: ...`. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testTitles } from '#testing/rules/test-titles'

const cases: Readonly<Record<string, string>> = {
  T01: 'line ends of two characters, one byte at a time, letters cut in two',
  T02: 'one event over two data lines',
  T03: 'fields without a space, empty ones, comments, a byte order mark',
  T04: 'one event of three megabytes in linear time',
  T05: 'a finish without the terminator',
  T06: 'an end before any finish',
  T07: 'a connection that is reset',
  T08: 'an error before any content',
  T09: 'an error after some content',
  T10: 'a client that leaves',
  T11: 'a client that reads nothing',
  T12: 'the framing that Gemini’s client needs',
  T13: 'a stream as one JSON array',
  T14: 'keep-alives that count as nothing',
  T15: 'packed answers and their headers',
  T16: 'numbers of calls beside blocks of other kinds',
  T17: 'arguments of two calls in turns',
  T18: 'three whole calls in a row',
  T19: 'a call that opens with its arguments, repeats its name or has no number',
  T20: 'words right after a switch of blocks',
  T21: 'a tool without arguments',
  T22: 'deltas with nothing in them',
  T23: 'calls without ids',
  T24: 'a call, and a stop with an empty text behind it',
  T25: 'text and a call in one event, another call later',
  T26: 'arguments by path, in pieces',
  T27: 'a limit in the middle of arguments',
  T28: 'images in the results of parallel calls',
  T29: 'results of a kind that nobody knows, or of nothing',
  T30: 'arguments that are no JSON, in a history',
  T31: 'signatures of calls that the client drops',
  T32: 'sealed reasoning between vendors',
  T33: 'a seal in pieces, or without words',
  T34: 'thoughts and calls in turns',
  T35: 'thoughts that may not be seen',
  T36: 'a state that changes before it is done',
  T37: 'the arithmetic of usage',
  T38: 'usage in a stream’s first and last events',
  T39: 'usage only for who asks',
  T40: 'a blocked prompt',
}

const root = join(import.meta.dir, '../..')
const files = ['server', 'shared', 'e2e'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(test|e2e)\.ts$/.test(path) && !path.includes('node_modules'))
    .map((path) => join(folder, path)),
)

test('every case has a test by its name', () => {
  const found = new Map<string, string[]>(Object.keys(cases).map((name) => [name, []]))
  for (const path of files) {
    for (const title of testTitles(path, readFileSync(join(root, path), 'utf8'))) {
      for (const [name] of title.matchAll(/\bT\d\d\b/g)) found.get(name)?.push(path)
    }
  }
  const lines = [...found].map(([name, paths]) => `${name} ${cases[name]}: ${new Set(paths).size} files, ${paths.length} tests`)
  console.info(lines.join('\n'))
  expect(Object.keys(cases)).toHaveLength(40)
  expect([...found].filter(([, paths]) => paths.length === 0).map(([name]) => `${name} ${cases[name]}`)).toEqual([])
})

test('a title in a comment, of a skipped test or of another function is none', () => {
  const text = `
    // test('T01 in a comment', () => {})
    test.skip('T02', () => {})
    other('T03', () => {})
    describe.each([['T04']])('T05 %s', () => { test(\`T06 \${1} x\`, () => {}) })
    test.if(true)('T07', () => {})
  `
  expect(testTitles('a.test.ts', text)).toEqual(['T05 %s', 'T06  x', 'T07'])
})
