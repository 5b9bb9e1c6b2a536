/** How many tests passed, failed and were skipped, from the output of each kind of check. */

/** Totals of a check that only passes or fails. */
export const ofCheck = ({ code }) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 })

/** Totals from the last lines of `bun test`. */
export function ofBunTest({ code, output }) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '')
  const count = (word) => Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(plain.slice(plain.lastIndexOf('\n\n')))?.[1] ?? 0)
  return honest(code, { passed: count('pass'), failed: count('fail') + count('errors?'), skipped: count('skip') + count('todo') })
}

/** Totals from Playwright's JSON report; `report` is its text, or undefined when it wrote none. A flaky test counts as failed. */
export function ofPlaywright({ code }, report) {
  const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = report === undefined ? {} : JSON.parse(report).stats
  return honest(code, { passed: expected, failed: unexpected + flaky, skipped })
}

/** A suite that ran nothing, or that exited with an error without a failed test, counts as one failure. */
function honest(code, totals) {
  const silent = totals.failed === 0 && (code !== 0 || totals.passed === 0)
  return silent ? { ...totals, failed: 1 } : totals
}

/** The totals of several suites together. */
export function sum(all) {
  const add = (field) => all.reduce((total, one) => total + one[field], 0)
  return { passed: add('passed'), failed: add('failed'), skipped: add('skipped') }
}

/** `12 passed, 0 failed`, with `, 3 skipped` when some were. */
export const inWords = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
