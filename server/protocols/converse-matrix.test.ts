/** What becomes of every request feature at Amazon's Converse: reviewed as a golden file. PARLEY_UPDATE_LOSSES=1 writes it anew. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { converseCells } from '#testing/conversions/loss-matrix'

const golden = join(import.meta.dir, 'converse-matrix.txt')
const marks = { carried: '=', changed: '~', dropped: '-', refused: 'x', unsaid: '?' } as const
const cells = await converseCells()
const lines = cells.map(({ row, feature, from, verdict, fields, meaning }) => {
  const names = fields.length > 0 ? `(${fields.join(' ')})${meaning ? '!' : ''}` : ''
  return `${row} ${feature} | ${from}: ${marks[verdict]}${names}`
})
const text = `${lines.join('\n')}\n`

if (process.env.PARLEY_UPDATE_LOSSES === '1') writeFileSync(golden, text)

test('the features at Converse are as they were reviewed', () => {
  expect(text).toBe(readFileSync(golden, 'utf8'))
})
