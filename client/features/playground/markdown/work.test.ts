/**
 * The most that the page reads of markdown on its own thread takes no long, whatever it consists of; what is longer is read by a worker
 * that is given up after two seconds, since the parser's work grows with the square of the text.
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

test.each([
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
  ...['<a', '<!--', '&', '|', '|a|b|\n', '~', '~~a', '> a\n', '* a\n', '1. a\n', 'a\n\n', '\\', 'http://a', 'a@b', '# a\n', '```\n', '  '],
])(
  '%j again and again',
  (piece) => {
    const text = piece.repeat(Math.ceil(mostHere / piece.length)).slice(0, mostHere)
    expect(Math.min(timeOf(text), timeOf(text), timeOf(text))).toBeLessThan(most)
  },
  30_000,
)

test('emphasis is looked for in a text that is four times as long with four times the work', () => {
  const visited = (characters: number) => {
    const looked = spyOn(Tokenizer.prototype, 'emStrong')
    htmlOf('*a_'.repeat(characters / 3))
    const sum = looked.mock.calls.reduce((all, [source]) => all + source.length, 0)
    looked.mockRestore()
    return sum
  }
  expect(visited(36_000) / visited(9_000)).toBeLessThan(5)
})

test('emphasis within a long text is still found', () => {
  const text = `${'words '.repeat(1_000)}**strong *and* words**, __more__ and ${'x'.repeat(5_000)} *end*`
  const html = htmlOf(text) ?? ''
  for (const part of ['<strong>strong <em>and</em> words</strong>', '<strong>more</strong>', '<em>end</em>']) expect(html).toContain(part)
})
