/** How long each test took, from the runners' reports, and the slowest ones. */

/** Durations from the JUnit report of `bun test`. */
export function timesOfUnits(xml) {
  const cases = (xml ?? '').matchAll(/<testcase ([^>]*?)\/?>/g)
  return [...cases].map(([, attributes]) => {
    const {
      name = '',
      classname = '',
      file = '',
      time = '0',
    } = Object.fromEntries([...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, plain(value)]))
    return { file, name: classname === '' || classname === file ? name : `${classname} > ${name}`, ms: Number(time) * 1000 }
  })
}

/** Durations from Playwright's JSON report. */
export function timesOfBrowser(json) {
  const ofSuite = (suite, path) => [
    ...(suite.specs ?? []).flatMap(({ title, tests }) =>
      tests.map(({ results }) => ({
        file: `e2e/${suite.file}`,
        name: [...path, title].join(' > '),
        ms: results.reduce((total, { duration }) => total + duration, 0),
      })),
    ),
    ...(suite.suites ?? []).flatMap((inner) => ofSuite(inner, [...path, inner.title])),
  ]
  return json === undefined ? [] : JSON.parse(json).suites.flatMap((suite) => ofSuite(suite, []))
}

/** The slowest tests of at least a tenth of a second, one per line with its seconds, slowest first. */
export function slowest(times, count = 20) {
  const first = times
    .filter(({ ms }) => ms >= 100)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, count)
  return first.map(({ file, name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}  ${name}`).join('\n')
}

const entities = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const plain = (text) =>
  text.replace(/&(lt|gt|quot|apos|amp|#\d+);/g, (_, name) => entities[name] ?? String.fromCodePoint(Number(name.slice(1))))
