/** What happens to every feature between every two dialects: reviewed as a golden file, explained by rules, documented. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dialects, servedBy } from '#shared/ids'
import { conversation } from '#testing/conversions/conversation'
import { lossMatrix, requestFeatures, sayable } from '#testing/conversions/loss-matrix'
import { covers, lossRules, matrixPage, matrixText, namesOf, rulesFor } from '#testing/conversions/loss-table'
import { conversationCodecs } from './index.ts'

const golden = join(import.meta.dir, 'loss-matrix.txt')
const page = join(import.meta.dir, '../../docs/losses.md')
const cells = await lossMatrix()

if (process.env.PARLEY_UPDATE_LOSSES === '1') {
  writeFileSync(golden, matrixText(cells))
  writeFileSync(page, matrixPage(cells))
}

test('the matrix is the one that was reviewed', () => {
  expect(matrixText(cells)).toBe(readFileSync(golden, 'utf8'))
})

test('docs/losses.md says what the program does', () => {
  expect(matrixPage(cells)).toBe(readFileSync(page, 'utf8'))
})

test('nothing is lost, changed or refused without exactly one rule', () => {
  const wrong = cells.flatMap((cell) =>
    namesOf(cell).flatMap((name) => {
      const count = lossRules.filter((rule) => covers(rule, cell, name)).length
      return count === 1
        ? []
        : [`${cell.way} ${cell.row} ${cell.feature}: ${cell.from} to ${cell.to} ${cell.verdict} ${name}, ${count} rules`]
    }),
  )
  expect(wrong).toEqual([])
})

test('no rule is left over, in no part of it', () => {
  const unused = lossRules.flatMap((rule) => {
    const served = cells.filter((cell) => rulesFor(cell).includes(rule))
    return [
      ...rule.of.filter((name) => !served.some((cell) => namesOf(cell).includes(name))),
      ...rule.to.filter((dialect) => !served.some((cell) => cell.to === dialect)),
      ...rule.rows.filter((row) => !served.some((cell) => cell.row === row)),
    ].map((part) => `${rule.way} ${rule.rows} ${rule.verdict} ${rule.of} to ${rule.to}: ${part}`)
  })
  expect(unused).toEqual([])
})

test('every feature can be expressed in some dialect, and every dialect expresses some', () => {
  expect(requestFeatures.filter((feature) => !dialects.some((dialect) => sayable(feature, dialect))).map(({ name }) => name)).toEqual([])
  expect(dialects.filter((dialect) => !cells.some((cell) => cell.from === dialect))).toEqual([])
})

test('pairs that Parley does not convert are refused', () => {
  for (const client of dialects) {
    for (const upstream of dialects.filter((dialect) => !servedBy[client].includes(dialect))) {
      const target = { model: 'm', capabilities: {}, stream: false }
      expect(() => conversationCodecs[upstream].writeRequest(conversation({ dialect: client }), target)).toThrow(
        expect.objectContaining({ code: 'unsupported_value' }),
      )
    }
  }
})
