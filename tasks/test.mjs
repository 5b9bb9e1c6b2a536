/**
 * `npm test`, `bun run test`: does all set-up, then runs every check there is and closes with one line of totals. Words
 * after `--` go to `bun test` and nothing else is run: `npm test -- server/wire`.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bringAgents } from './lib/agents.mjs'
import { buildClient } from './lib/client.mjs'
import { install } from './lib/install.mjs'
import { run } from './lib/processes.mjs'
import { root, task, tell } from './lib/project.mjs'
import { bringChromium, bringPostgres } from './lib/tools.mjs'
import { inWords, ofBunTest, ofCheck, ofPlaywright, sum } from './lib/totals.mjs'

const report = join(root, 'test-results/e2e.json')
const chosen = process.argv.slice(2)
/** They take an installation of their own; without it their tests skip themselves and say so. */
const withAgents = chosen.length > 0 ? chosen.some((word) => word.includes('e2e/agents')) : Boolean(process.env.CI)

const tool = (bun, path, args, env) => run(bun, ['--bun', path, ...args], { show: true, env })
const types = (bun) => ({ name: 'Types', work: async () => ofCheck(await tool(bun, 'node_modules/typescript/bin/tsc', ['--noEmit'])) })
const style = (bun) => ({
  name: 'Lint and format',
  work: async () => ofCheck(await tool(bun, 'node_modules/@biomejs/biome/bin/biome', ['check', '.'])),
})
const units = (bun, filters) => ({
  name: 'Unit and integration',
  // A test may start a program, which takes seconds; bunfig.toml's own timeout is not heeded. Two files at a time: many tests wait for
  // a clock. What is dear to make, a database server and a template, is made once in each of the two processes.
  work: async () =>
    ofBunTest(
      await run(bun, ['test', '--timeout', '30000', '--parallel=2', '--no-isolate', ...filters], {
        show: true,
        limitMs: 1_140_000,
        env: { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535', ...(withAgents && { PARLEY_AGENTS: '1' }) },
      }),
    ),
})

const browser = (bun, chromium) => ({
  name: 'Browser',
  work: async () => {
    rmSync(report, { force: true })
    return ofPlaywright(await tool(bun, 'node_modules/playwright/cli.js', ['test'], { PARLEY_CHROMIUM: chromium }), written(report))
  },
})

async function measured({ name, work }) {
  const started = performance.now()
  process.stdout.write(`\n== ${name}\n`)
  const totals = await work()
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

await task(async () => {
  const started = performance.now()
  const bun = await install({ dev: true })
  await bringPostgres()
  const chromium = await bringChromium()
  if (withAgents) await bringAgents(bun)
  await buildClient(bun)
  tell(`Set up in ${seconds(started)}`)

  const suites = chosen.length > 0 ? [units(bun, chosen)] : [types(bun), style(bun), units(bun, []), browser(bun, chromium)]
  const all = []
  for (const suite of suites) all.push(await measured(suite))
  const totals = sum(all)
  process.exitCode = totals.failed > 0 ? 1 : 0
  process.stdout.write(`\n${inWords(totals)}\n`)
})
