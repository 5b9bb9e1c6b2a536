/**
 * `npm test`: sets up what the tests need, runs every check there is and closes with one line of totals. Parts of paths after
 * `--` choose tests, of both kinds, and nothing else is run; options behind them go to the runners:
 * `npm test -- server/wire e2e/reading -t name`. What is wide is sampled by PARLEY_SEED; `npm run test:deep` runs it whole.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bringAgents } from './lib/agents.mjs'
import { buildClient } from './lib/client.mjs'
import { install } from './lib/install.mjs'
import { run } from './lib/processes.mjs'
import { root, task, tell } from './lib/project.mjs'
import { needsOf, readWords, select } from './lib/selection.mjs'
import { slowest, timesOfBrowser, timesOfUnits } from './lib/times.mjs'
import { bringChromium, bringPostgres } from './lib/tools.mjs'
import { inWords, ofBunTest, ofCheck, ofPlaywright, sum } from './lib/totals.mjs'

const results = join(root, 'test-results')
const reports = { units: join(results, 'units.xml'), browser: join(results, 'e2e.json') }
const timings = join(results, 'timings.json')
const day = Math.floor(Date.now() / 86_400_000)

const [first, ...others] = process.argv.slice(2)
const isDeep = first === '--deep'
const { paths, options } = readWords(isDeep ? others : process.argv.slice(2))
const isChosen = paths.length > 0 || options.length > 0
/** The same in every run of `npm test`, so that a failure in CI can be repeated; the day's in a deep one, for new cases. */
const seed = process.env.PARLEY_SEED ?? String(isDeep ? day : 1)

const tool = (bun, path, args, options) => run(bun, ['--bun', path, ...args], options)
/** Both at the same time; what they print comes when they are over. */
const checks = {
  name: 'Types, lint and format',
  work: async (bun) => {
    const ended = await Promise.all([
      tool(bun, 'node_modules/typescript/bin/tsc', ['--noEmit']),
      tool(bun, 'node_modules/@biomejs/biome/bin/biome', ['check', '.']),
    ])
    for (const { output } of ended) process.stdout.write(output)
    return sum(ended.map(ofCheck))
  },
}

const units = (files, needs) => ({
  name: 'Unit and integration',
  // A test may start a program, which takes seconds, and minutes on a busy machine; bunfig.toml's own timeout is not heeded. More
  // files at a time than cores, for many tests wait, and those first that took longest the last time. What is dear to make, a
  // database server and a template, is made once in each of the processes.
  work: async (bun) =>
    ofBunTest(
      await run(
        bun,
        [
          'test',
          ...['--timeout', '120000', '--parallel=3', '--no-isolate', `--timings=${timings}`, '--update-timings'],
          ...['--reporter=junit', `--reporter-outfile=${reports.units}`],
          ...options,
          ...(isChosen ? files.map((file) => `./${file}`) : []),
        ],
        {
          show: true,
          limitMs: isDeep ? 4_500_000 : 1_140_000,
          env: {
            BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
            PARLEY_SEED: seed,
            ...(isDeep && { PARLEY_DEEP: '1' }),
            ...(needs.has('agents') && { PARLEY_AGENTS: '1' }),
          },
        },
      ),
    ),
})

const browser = (files, chromium) => ({
  name: 'Browser',
  work: async (bun) => {
    const words = isChosen ? [...files.map((file) => `/${file.replaceAll('.', '\\.')}$`), ...options.map(inPlaywright)] : []
    const ended = await tool(bun, 'node_modules/playwright/cli.js', ['test', ...words], {
      show: true,
      env: { PARLEY_CHROMIUM: chromium },
      limitMs: 1_140_000,
    })
    return ofPlaywright(ended, written(reports.browser))
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

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`

function written(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The checks, and the suites that have a file among the chosen, each with what its files need set up. */
async function suitesOf(bun) {
  const chosen = select(paths)
  const needs = needsOf([...chosen.units, ...chosen.browser])
  // The coding agents take an installation of their own, so they work only when asked for, in CI and in a deep run.
  if (paths.length === 0 && !process.env.CI && !isDeep) needs.delete('agents')
  if (needs.has('postgresql')) await bringPostgres()
  const chromium = needs.has('chromium') ? await bringChromium() : undefined
  if (needs.has('agents')) await bringAgents(bun)
  if (needs.has('client')) await buildClient(bun)
  return [
    ...(isChosen ? [] : [checks]),
    ...(chosen.units.length > 0 ? [units(chosen.units, needs)] : []),
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
  for (const report of Object.values(reports)) rmSync(report, { force: true })
  process.stdout.write(`Seed: PARLEY_SEED=${seed}${isDeep ? ', everything whole' : ''}\n`)
  const all = []
  for (const suite of suites) all.push(await measured(bun, suite))
  const totals = suites.length === 0 ? { passed: 0, failed: 1, skipped: 0 } : sum(all)
  process.exitCode = totals.failed > 0 ? 1 : 0
  const times = [...timesOfUnits(written(reports.units)), ...timesOfBrowser(written(reports.browser))]
  if (slowest(times) !== '') process.stdout.write(`\nThe slowest tests:\n${slowest(times)}\n`)
  process.stdout.write(`\n${inWords(totals)}\n`)
})
