import { expect, test } from 'bun:test'
import { lineCount, partsOf } from './text-parts.ts'

const lines = (count: number, words = 'words of a line') => Array.from({ length: count }, (_, at) => `${at}: ${words}`).join('\n')

test('parts are whole lines, together the text', () => {
  for (const text of [
    '',
    'one line',
    '\n',
    '\n\n',
    lines(500),
    `${lines(90)}\n`,
    lines(30, 'x'.repeat(3_000)),
    'a\n\n\n'.repeat(400),
    '\n'.repeat(300),
  ]) {
    const parts = partsOf(text)
    expect(parts.join('\n')).toBe(text)
    expect(parts.slice(0, -1).filter((part) => part.endsWith('\n') || part === '')).toEqual([])
    expect(parts.reduce((sum, part) => sum + lineCount(part), 0)).toBe(text.split('\n').length)
  }
  expect(partsOf(lines(500)).length).toBeGreaterThan(10)
})

test('a text that grows keeps its parts', () => {
  const text = `${lines(400)}\n`
  const before = partsOf(text)
  expect(partsOf(`${text}more\nand more`).slice(0, before.length - 1)).toEqual(before.slice(0, -1))
})
