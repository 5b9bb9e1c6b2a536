/** What becomes of every feature at Amazon's Converse, there and back: reviewed as a golden file, which `node tasks/losses.mjs` writes. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cell, converseAnswerCells, converseCells } from '#testing/conversions/loss-matrix'

const golden = join(import.meta.dir, 'converse-matrix.txt')
const marks = { carried: '=', changed: '~', dropped: '-', refused: 'x', unreported: '?' } as const

function lineOf(
  { row, feature, verdict, fields, meaning }: Pick<Cell, 'row' | 'feature' | 'verdict' | 'fields' | 'meaning'>,
  side: string,
) {
  const names = fields.length > 0 ? `(${fields.join(' ')})${meaning ? '!' : ''}` : ''
  return `${row} ${feature} | ${side}: ${marks[verdict]}${names}`
}

const requests = (await converseCells()).map((cell) => lineOf(cell, cell.from))
const answers = converseAnswerCells().map((cell) => `answer ${lineOf(cell, cell.to)}`)
const text = `${[...requests, ...answers].join('\n')}\n`

if (process.env.PARLEY_UPDATE_LOSSES === '1') writeFileSync(golden, text)

test('the features at Converse are as they were reviewed', () => {
  expect(text).toBe(readFileSync(golden, 'utf8'))
})

/** Features that some clients cannot see, for the reasons given in testing/walk/silent.txt for Messages. */
const silent = [
  // It ends for length.
  'end: context-full |',
  // An error for the client (server/relay/conversation/asked-for.ts).
  'end: bad-tool-call |',
  // Included in the sum of cache writes; the lifetime is in the usage row.
  'tokens into the cache',
  'tier that served | gemini',
]

test('nothing of an answer vanishes without a word', () => {
  expect(answers.filter((line) => line.includes(': ?') && !silent.some((name) => line.includes(name)))).toEqual([])
})
