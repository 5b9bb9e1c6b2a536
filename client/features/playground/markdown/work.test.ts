/**
 * The longest markdown that the page parses on its main thread does not take long, whatever it consists of; longer text is parsed by a
 * worker that is abandoned after two seconds. The work is counted: characters that the parser's rules are given, which grow with the text
 * and not with its square.
 */
import { expect, spyOn, test } from 'bun:test'
import { Tokenizer } from 'marked'
import { htmlOf } from './parse.ts'

/** As in `render.ts`. */
const mostHere = 4_096
/** Milliseconds of processor time: twenty times the aim. */
const most = 20 * 20

function timeOf(text: string): number {
  const before = process.threadCpuUsage()
  htmlOf(text)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const pieces = [
  ...[
    'some words and *stress* `code`. ',
    '\\[',
    '\\(',
    '\\[a\\]',
    '$',
    '$$',
    '$a',
    '*',
    '_',
    '*a_',
    '`',
    '`a',
    '[',
    '[a](',
    '![',
    '[^1]: a\n',
  ],
  ...['<a', '<!--', '&', '|', '|a|b|\n', '~', '~~a', '>', '> ', '> a\n', '- > ', '+ ', '* a\n', '1. ', '1. a\n', 'a\n\n', '\\'],
  ...['http://a', 'a@b', '# a\n', '```\n', '  '],
]
const repeated = (piece: string, characters: number) => piece.repeat(Math.ceil(characters / piece.length)).slice(0, characters)

test.each(pieces)('%j again and again', (piece) => {
  const text = repeated(piece, mostHere)
  // Once, unless it was slow: the garbage collector may have run.
  const times = [timeOf(text)]
  while (times.length < 3 && Math.min(...times) >= most) times.push(timeOf(text))
  expect(Math.min(...times)).toBeLessThan(most)
})

type Rule = 'emStrong' | 'blockquote' | 'list'

/** Characters that the rule is given while so many characters of the piece are parsed. */
function read(rule: Rule, piece: string, characters: number): number {
  const looked = spyOn(Tokenizer.prototype, rule)
  try {
    htmlOf(repeated(piece, characters))
    return looked.mock.calls.reduce((all, [source]) => all + source.length, 0)
  } finally {
    looked.mockRestore()
  }
}

test.each([
  ['emStrong', '*some more words_', 9_000],
  ['blockquote', '>', 4_000],
  ['blockquote', '> ', 4_000],
  ['blockquote', '- > ', 4_000],
  ['list', '+ ', 4_000],
  ['list', '1. ', 4_000],
] as [Rule, string, number][])('%s reads a text of %j that is four times as long with four times the work', (rule, piece, characters) => {
  expect(read(rule, piece, 4 * characters) / read(rule, piece, characters)).toBeLessThan(5)
})

test('deeply nested quotes and lists become text, and nothing is lost', () => {
  const html = htmlOf(`${'> '.repeat(20)}deep`) ?? ''
  expect([html.match(/<blockquote>/g)?.length, html.includes('deep')]).toEqual([20, true])
  const deeper = htmlOf(`${'>'.repeat(4_000)} deep\n\n> shallow`) ?? ''
  expect([deeper.match(/<blockquote>/g)?.length, deeper.match(/&gt;/g)?.length]).toEqual([33, 4_000 - 32])
  expect(deeper).toContain('shallow')
})

test('emphasis within a long text is still found', () => {
  const text = `${'words '.repeat(1_000)}**strong *and* words**, __more__ and ${'x'.repeat(5_000)} *end*`
  const html = htmlOf(text) ?? ''
  for (const part of ['<strong>strong <em>and</em> words</strong>', '<strong>more</strong>', '<em>end</em>']) expect(html).toContain(part)
})
