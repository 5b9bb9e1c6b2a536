import { expect, test } from 'bun:test'
import { inWords, ofBunTest, ofCheck, ofPlaywright, sum } from './lib/totals.mjs'

const summary = (lines: string) =>
  `server/a.test.ts:\n(pass) 9 pass\n(fail) b\n\n${lines}\n 12 expect() calls\nRan 7 tests across 2 files. [2.00ms]\n`

test('bun test: only its closing lines count, with or without colours', () => {
  expect(ofBunTest({ code: 0, output: summary(' 5 pass\n 2 skip\n 1 todo\n 0 fail') })).toEqual({ passed: 5, failed: 0, skipped: 3 })
  expect(ofBunTest({ code: 1, output: summary('\u001b[32m 5 pass\u001b[0m\n\u001b[31m 2 fail\u001b[0m\n 1 error') })).toEqual({
    passed: 5,
    failed: 3,
    skipped: 0,
  })
})

test('a suite that ran nothing or died has failed', () => {
  expect(ofBunTest({ code: 0, output: '' })).toEqual({ passed: 0, failed: 1, skipped: 0 })
  expect(ofBunTest({ code: 1, output: summary(' 5 pass\n 0 fail') })).toMatchObject({ passed: 5, failed: 1 })
  expect(ofPlaywright({ code: 1 }, undefined)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  expect(ofPlaywright({ code: 0 }, JSON.stringify({ stats: { expected: 0, skipped: 4 } }))).toMatchObject({ failed: 1 })
})

test('Playwright: a test that passed only when repeated has failed', () => {
  const report = JSON.stringify({ stats: { expected: 3, unexpected: 1, flaky: 1, skipped: 2 } })
  expect(ofPlaywright({ code: 1 }, report)).toEqual({ passed: 3, failed: 2, skipped: 2 })
})

test('totals in words', () => {
  const all = [ofCheck({ code: 0 }), ofCheck({ code: 2 }), { passed: 10, failed: 0, skipped: 0 }]
  expect(inWords(sum(all))).toBe('11 passed, 1 failed')
  expect(inWords({ passed: 1, failed: 0, skipped: 2 })).toBe('1 passed, 0 failed, 2 skipped')
})
