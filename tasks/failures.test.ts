import { expect, test } from 'bun:test'
import { failuresOfBrowser, failuresOfUnits } from './lib/failures.mjs'

test('a failed unit test is named with its file and what it printed, once', () => {
  const output = [
    'server/a.test.ts:',
    '(pass) first [1.00ms]',
    ' 6 | expect(a).toBe(1)',
    '\u001b[31merror\u001b[0m: Expected: 1, Received: 2',
    '(fail) second [2.00ms]',
    '',
    'e2e/b.test.ts:',
    '(pass) third [1.00ms]',
    '',
    '1 tests failed:',
    '(fail) second [2.00ms]',
  ].join('\n')
  expect(failuresOfUnits(output)).toEqual([
    'server/a.test.ts  (fail) second [2.00ms]\n 6 | expect(a).toBe(1)\nerror: Expected: 1, Received: 2',
  ])
  expect(failuresOfUnits('server/a.test.ts:\n(pass) first\n')).toEqual([])
})

test('a failed browser test is named with its messages', () => {
  const spec = (title: string, ok: boolean, message?: string) => ({
    title,
    ok,
    tests: [{ results: [{ errors: message === undefined ? [] : [{ message }] }] }],
  })
  const inner = { title: 'keys', file: 'keys.e2e.ts', specs: [spec('works', true), spec('breaks', false, 'no such\nbutton')] }
  const report = JSON.stringify({ suites: [{ title: 'keys.e2e.ts', file: 'keys.e2e.ts', suites: [inner] }] })
  expect(failuresOfBrowser(report)).toEqual(['e2e/keys.e2e.ts  (fail) keys > breaks\nno such\nbutton'])
  expect(failuresOfBrowser(undefined)).toEqual([])
})
