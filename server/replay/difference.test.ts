/** The work of a comparison is bounded, whatever the answers are: other requests wait meanwhile. */
import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test'
import { Diff, lineDiff, wordsWithSpaceDiff } from 'diff'
import { seeded } from '#testing/seeded'
import { callPiecesOf, differenceOf, piecesOf, whyUncompared } from './difference.ts'

const chance = seeded(4471)
const words = (count: number, kinds: number) => Array.from({ length: count }, () => `w${chance.below(kinds)}`).join(' ')
/** Signs of which each is a word of its own. */
const signs = (count: number, kinds: number) =>
  Array.from({ length: count }, () => String.fromCodePoint(0x4e00 + chance.below(kinds))).join('')
const answer = (text: string, args = '{}') => ({ text, calls: [{ name: 'f', args }], finish: 'stop', error: null })

describe('comparisons of words', () => {
  let compared = 0
  let spies: Mock<(left: string, right: string, options: never) => boolean>[]
  beforeEach(() => {
    compared = 0
    const equals = Diff.prototype.equals
    spies = [wordsWithSpaceDiff, lineDiff].map((one) =>
      spyOn(one as Diff<string, string>, 'equals').mockImplementation((left, right, options) => {
        compared += 1
        return equals.call(one, left, right, options)
      }),
    ) as typeof spies
  })
  afterEach(() => {
    for (const spy of spies) spy.mockRestore()
  })

  test.each([
    ['nothing in common', () => words(2_000, 100_000), () => words(2_000, 100_000)],
    ['few different words', () => words(4_000, 2), () => words(4_000, 2)],
    ['few different signs', () => signs(14_900, 3), () => signs(14_900, 3)],
    ['a rhythm that is shifted', () => '的一'.repeat(7_000), () => `${'一的'.repeat(6_000)}${'的'.repeat(2_000)}`],
    ['much longer than is compared', () => words(100_000, 50), () => words(100_000, 50)],
  ] as const)('%s: less than a hundred thousand', (_, one, other) => {
    const [before, after] = [one(), other()]
    piecesOf(before, after)
    callPiecesOf(answer('', before), answer('', after))
    expect(compared).toBeLessThan(100_000)
  })

  test('a row of a table and the answers beside it look once each', () => {
    differenceOf(answer('one two three'), answer('one 2 three'))
    expect(compared).toBeGreaterThan(0)
    expect(compared).toBeLessThan(20)
  })
})

test('identical answers are recognised however long they are; else the result says why they were not compared', () => {
  const long = words(20_000, 1_000)
  expect(piecesOf(long, long)).toEqual([{ text: long, in: 'both' }])
  expect(piecesOf(long, `${long} more`)).toBeUndefined()
  expect(whyUncompared(long, `${long} more`)).toBe('too_long')
  expect(differenceOf(answer(long), answer(`${long} more`))).toEqual({ text: 'different', calls: 'same', finish: 'same' })
  const [one, other] = [words(400, 100_000), words(400, 100_000)]
  expect(piecesOf(one, other)).toBeUndefined()
  expect(whyUncompared(one, other)).toBe('too_different')
})
