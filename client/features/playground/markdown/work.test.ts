/**
 * The most that the page reads of markdown on its own thread takes no long, whatever it consists of; what is longer is read by a worker
 * that is given up after two seconds, since the parser's work grows with the square of the text.
 */
import { expect, test } from 'bun:test'
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
