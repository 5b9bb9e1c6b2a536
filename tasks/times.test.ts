import { expect, test } from 'bun:test'
import { slowest, timesOfBrowser, timesOfUnits } from './lib/times.mjs'

test('bun test: the time of every case, with its groups, also of a failed one', () => {
  const xml = `<testsuites><testsuite name="a.test.ts" file="a.test.ts">
    <testcase name="is &quot;quick&quot; &gt; 1 &#10;" classname="" time="0.25" file="a.test.ts" line="3" assertions="1" />
    <testcase name="fails" classname="a group" time="2" file="a.test.ts" line="4"><failure type="AssertionError" /></testcase>
  </testsuite></testsuites>`
  expect(timesOfUnits(xml)).toEqual([
    { file: 'a.test.ts', name: 'is "quick" > 1 \n', ms: 250 },
    { file: 'a.test.ts', name: 'a group > fails', ms: 2000 },
  ])
})

test('Playwright: the time of every case, all its tries together', () => {
  const file = 'reading.e2e.ts'
  const specs = [{ title: 'a page', tests: [{ results: [{ duration: 5 }, { duration: 7 }] }] }]
  const report = { suites: [{ file, specs, suites: [{ file, title: 'dark', specs }] }] }
  expect(timesOfBrowser(JSON.stringify(report))).toEqual([
    { file: 'e2e/reading.e2e.ts', name: 'a page', ms: 12 },
    { file: 'e2e/reading.e2e.ts', name: 'dark > a page', ms: 12 },
  ])
})

test('the slowest come first, and no report is no times', () => {
  const times = [1, 130, 200].map((ms) => ({ file: 'a.test.ts', name: `${ms} ms`, ms }))
  expect(slowest(times, 20).split('\n')).toEqual(['    0.2 s  a.test.ts  200 ms', '    0.1 s  a.test.ts  130 ms'])
  expect([...timesOfUnits(undefined), ...timesOfBrowser(undefined)]).toEqual([])
})
