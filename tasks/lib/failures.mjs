/** What each failed test printed, repeated at the end of a run, where people and CI records look first. */

/** A failure's report may print a whole body; its end has the difference and the place. */
const mostLines = 40
const longestLine = 500
const cut = (lines) => lines.map((line) => line.slice(0, longestLine))

/** The failed tests of `bun test`, each with the file that it stands in and the last lines before its result. */
export function failuresOfUnits(output) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
  const lines = output.replace(/\u001b\[[0-9;]*m/g, '').split('\n')
  const failures = []
  let file = ''
  let before = []
  for (const line of lines) {
    // The runner repeats its failures under such a heading, without what they printed.
    if (/^\d+ tests? failed:$/.test(line)) break
    if (/^\S+\.test\.ts:$/.test(line)) file = line.slice(0, -1)
    if (line.startsWith('(fail) ')) failures.push([`${file}  ${line}`, ...cut(before.slice(-mostLines))].join('\n').trimEnd())
    before = /^\((pass|fail|skip|todo)\) |^\S+\.test\.ts:$/.test(line) ? [] : [...before, line]
  }
  return failures
}

/** The failed tests of Playwright's JSON report, each with its messages. */
export function failuresOfBrowser(json) {
  const ofSuite = (suite, path) => [
    ...(suite.specs ?? [])
      .filter(({ ok }) => !ok)
      .map(({ title, tests }) => {
        const messages = tests.flatMap(({ results }) => results.flatMap(({ errors }) => errors.map(({ message }) => message)))
        const text = cut(messages.join('\n').split('\n').slice(0, mostLines)).join('\n')
        // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
        return `e2e/${suite.file}  (fail) ${[...path, title].join(' > ')}\n${text.replace(/\u001b\[[0-9;]*m/g, '')}`.trimEnd()
      }),
    ...(suite.suites ?? []).flatMap((inner) => ofSuite(inner, [...path, inner.title])),
  ]
  return json === undefined ? [] : JSON.parse(json).suites.flatMap((suite) => ofSuite(suite, []))
}
