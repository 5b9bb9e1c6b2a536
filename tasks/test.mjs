/**
 * `npm test`: sets up what the tests need, runs all checks and tests, and ends with one line of totals. Parts of paths after `--`
 * select test files of both kinds and skip everything else; options after them are passed to the runners:
 * `npm test -- server/wire e2e/reading -t name`. Large case sets are sampled by PARLEY_SEED; `npm run test:deep` runs them all.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bringAgents } from './lib/agents.mjs'
import { buildClient } from './lib/client.mjs'
import { failuresOfBrowser, failuresOfUnits } from './lib/failures.mjs'
import { install } from './lib/install.mjs'
import { memoryFolder } from './lib/memory-folder.mjs'
import { run } from './lib/processes.mjs'
import { root, task, tell } from './lib/project.mjs'
import { needsOf, readWords, select } from './lib/selection.mjs'
import { buildServer } from './lib/server.mjs'
import { firstTimings } from './lib/slow-files.mjs'
import { slowest, timesOfBrowser, timesOfUnits } from './lib/times.mjs'
import { bringChromium, bringMariadb, bringPostgres } from './lib/tools.mjs'
import { inWords, ofBunTest, ofCheck, ofPlaywright, sum } from './lib/totals.mjs'

const results = join(root, 'test-results')
const reports = {
  unit: join(results, 'unit.xml'),
  integration: join(results, 'integration.xml'),
  deno: join(results, 'deno.xml'),
  browser: join(results, 'e2e.json'),
}
const timings = join(results, 'timings.json')
const day = Math.floor(Date.now() / 86_400_000)

const [first, ...others] = process.argv.slice(2)
const isDeep = first === '--deep'
const { paths, options } = readWords(isDeep ? others : process.argv.slice(2))
const isChosen = paths.length > 0 || options.length > 0
/** The same in every `npm test`, so that a failure in CI can be reproduced. Deep runs change it daily, for new cases. */
const seed = process.env.PARLEY_SEED ?? String(isDeep ? day : 1)

const tool = (bun, path, args, options) => run(bun, ['--bun', path, ...args], options)
/** Both run at the same time; their output is printed when they are done. */
const checks = {
  name: 'Types, lint and format',
  work: async (bun) => {
    const ended = await Promise.all([
      tool(bun, 'node_modules/typescript/bin/tsc', ['--noEmit']),
      tool(bun, 'node_modules/@biomejs/biome/bin/biome', ['check', '.']),
    ])
    for (const { output } of ended) process.stdout.write(output)
    return { ...sum(ended.map(ofCheck)), failures: ended.filter(({ code }) => code !== 0).map(({ output }) => output.trimEnd()) }
  },
}

/** Suites of endpoints, streams, realtime and money that are also run against Parley on Deno (docs/runtimes.md). */
const denoSuites = ['further-endpoints', 'money', 'realtime', 'streams']
const furtherDenoSuites = ['bounds', 'counted', 'left', 'streams', 'together', 'usage'].map((name) => `money-${name}`)
const denoFiles = [...denoSuites, ...(isDeep ? ['realtime-session', ...furtherDenoSuites] : [])].map((name) => `e2e/${name}.test.ts`)

/** A suite of `bun test`: its name, its report, its files, how many run at once, what they need, their environment, and where temporary files go. */
const bunSuite = ({ name, report, files, parallel, needs, env, temporary }) => ({
  name,
  // Tests may start the program, which takes seconds, or minutes on a busy machine; Bun ignores the timeout in bunfig.toml. More
  // files run in parallel than there are cores, since many tests wait, and the slowest ones of the last run come first. A database
  // server and its template are expensive, so each process creates them only once.
  work: async (bun) => {
    const ended = await run(
      bun,
      [
        'test',
        ...['--timeout', '120000', `--parallel=${parallel}`, '--no-isolate', `--timings=${timings}`, '--update-timings'],
        ...['--reporter=junit', `--reporter-outfile=${report}`],
        ...options,
        ...files.map((file) => `./${file}`),
      ],
      {
        show: true,
        limitMs: isDeep ? 4_500_000 : 1_140_000,
        env: {
          BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
          PARLEY_SEED: seed,
          ...(needs.has('server') && { PARLEY_TEST_SERVER: 'dist/server' }),
          // Embedded databases are opened for seconds: the last tier of the compiler costs more than it gives.
          BUN_JSC_useOMGJIT: '0',
          ...(temporary !== undefined && { TMPDIR: temporary }),
          ...(isDeep && { PARLEY_DEEP: '1' }),
          ...(needs.has('agents') && { PARLEY_AGENTS: '1' }),
          ...env,
        },
      },
    )
    return { ...ofBunTest(ended), failures: failuresOfUnits(ended.output) }
  },
})

const browser = (files, chromium) => ({
  name: 'Browser',
  work: async (bun) => {
    const words = isChosen ? [...files.map((file) => `/${file.replaceAll('.', '\\.')}$`), ...options.map(inPlaywright)] : []
    const ended = await tool(bun, 'node_modules/playwright/cli.js', ['test', ...words], {
      show: true,
      env: { PARLEY_CHROMIUM: chromium, PARLEY_TEST_SERVER: 'dist/server' },
      limitMs: 1_140_000,
    })
    const report = written(reports.browser)
    return { ...ofPlaywright(ended, report), failures: failuresOfBrowser(report) }
  },
})

const inPlaywright = (option) => ({ '-t': '-g', '--test-name-pattern': '--grep' })[option] ?? option

async function measured(bun, { name, work }) {
  const started = performance.now()
  process.stdout.write(`\n== ${name}\n`)
  const totals = await work(bun)
  process.stdout.write(`== ${name}: ${inWords(totals)} in ${seconds(started)}\n`)
  return totals
}

const bunFilesOf = ({ unit, integration }) => [...unit, ...integration]

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`

function written(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * The checks, and the suites with selected files, after setting up what those files need. One after the other: each keeps every core busy,
 * and together they would only wait for each other.
 */
async function suitesOf(bun) {
  const chosen = select(paths)
  const needs = needsOf([...chosen.unit, ...chosen.integration, ...chosen.browser])
  // The coding agents and MariaDB need large installations, so they run only when selected, in CI and in deep runs.
  if (paths.length === 0 && !process.env.CI && !isDeep) for (const large of ['agents', 'mariadb']) needs.delete(large)
  if (needs.has('postgresql')) await bringPostgres()
  if (needs.has('mariadb')) await bringMariadb()
  const chromium = needs.has('chromium') ? await bringChromium() : undefined
  if (needs.has('agents')) await bringAgents(bun)
  if (needs.has('client')) await buildClient(bun)
  if (needs.has('server') || needs.has('chromium')) await buildServer(bun)
  const temporary = chosen.unit.length > 0 || chosen.integration.length > 0 ? memoryFolder() : undefined
  const ofBun = (name, report, files, parallel, env) =>
    files.length > 0 ? [bunSuite({ name, report, files, parallel, needs, env, temporary })] : []
  return [
    ...(isChosen ? [] : [checks]),
    ...ofBun('Unit', reports.unit, chosen.unit, 6),
    ...ofBun('Integration', reports.integration, chosen.integration, 11),
    ...ofBun('Deno', reports.deno, isChosen ? [] : denoFiles, 4, { PARLEY_RUNTIME: 'deno' }),
    ...(chosen.browser.length > 0 ? [browser(chosen.browser, chromium)] : []),
  ]
}

await task(async () => {
  const started = performance.now()
  const bun = await install({ dev: true })
  const suites = await suitesOf(bun)
  tell(`Set up in ${seconds(started)}`)
  if (suites.length === 0) tell(`No test file has ${paths.map((path) => `"${path}"`).join(' or ')} in its path.`)

  mkdirSync(results, { recursive: true })
  if (!existsSync(timings)) writeFileSync(timings, JSON.stringify(firstTimings(bunFilesOf(select([])))))
  for (const report of Object.values(reports)) rmSync(report, { force: true })
  process.stdout.write(`Seed: PARLEY_SEED=${seed}${isDeep ? ', nothing sampled' : ''}\n`)
  const all = []
  for (const suite of suites) all.push(await measured(bun, suite))
  const totals = suites.length === 0 ? { passed: 0, failed: 1, skipped: 0 } : sum(all)
  process.exitCode = totals.failed > 0 ? 1 : 0
  const times = [
    ...[reports.unit, reports.integration, reports.deno].flatMap((path) => timesOfUnits(written(path))),
    ...timesOfBrowser(written(reports.browser)),
  ]
  if (slowest(times) !== '') process.stdout.write(`\nThe slowest tests:\n${slowest(times)}\n`)
  const failures = all.flatMap((one) => one.failures)
  if (failures.length > 0) process.stdout.write(`\nWhat failed:\n\n${failures.join('\n\n')}\n`)
  process.stdout.write(`\n${inWords(totals)}\n`)
})
