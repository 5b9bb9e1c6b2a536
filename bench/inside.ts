/**
 * `bun bench/inside.ts`: what the program's own code costs for one request, in microseconds of the main thread, without a server: the
 * handler is called in this process and calls a provider. `--stream N` requests a stream of N events, `--converted` sends Messages
 * requests to a Chat upstream, `--kept` keeps the bodies, `--observed` also measures it with metrics and traces
 * (every request sampled), in turns. Run it with `bun --cpu-prof` to see where the time goes.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { build } from '#app/app'
import { readConfig } from '#app/config'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { beginStore } from '#store/engine/open'
import { startProvider } from './load/load.ts'

const concurrent = 64
const key = 'sk-benchbenchbenchbenchbenchbenchbenchbenchbench'
const declared = `
groups:
  default: { ratio: 1 }
channels:
  - { name: up, vendor: openai-compatible, baseUrl: "http://127.0.0.1:PORT/v1", keys: [sk-up], models: [m] }
prices:
  m: { input: 1, output: 2 }
users:
  - { name: admin, role: admin, balance: 100000 }
keys:
  - { name: b, user: admin, key: "${key}", logBodies: ${process.argv.includes('--kept')} }
`
const events = process.argv.includes('--stream') ? Number(process.argv[process.argv.indexOf('--stream') + 1]) : 0
const converted = process.argv.includes('--converted')
const observed = process.argv.includes('--observed')

const provider = await startProvider()
// An answer takes a while, so that the database keeps up.
await provider.set({ events, wait: 20 })

const body = JSON.stringify({
  model: 'm',
  stream: events > 0,
  ...(converted ? { max_tokens: 256 } : { max_tokens: 256, temperature: 0.7 }),
  messages: [{ role: 'user', content: 'x'.repeat(400) }],
  ...(events > 0 && !converted && { stream_options: { include_usage: true } }),
})
const headers = {
  host: '127.0.0.1',
  'content-type': 'application/json',
  'content-length': String(body.length),
  authorization: `Bearer ${key}`,
  'anthropic-version': '2023-06-01',
}
const url = `http://127.0.0.1/v1/${converted ? 'messages' : 'chat/completions'}`

/** Parley in this process, with its own folder and database. */
async function open(more: Record<string, string> = {}) {
  const folder = await mkdtemp(`${tmpdir()}/parley-inside-`)
  await Bun.write(`${folder}/parley.yaml`, declared.replace('PORT', String(provider.port)))
  const env = { PARLEY_DATA: `${folder}/data`, PARLEY_CONFIG: `${folder}/parley.yaml`, DATABASE_URL: process.env.DATABASE_URL, ...more }
  // OpenTelemetry's exporters read it themselves.
  Object.assign(process.env, more)
  const config = readConfig(env)
  const { dataFolder, databaseUrl } = config
  const opening = beginStore({ dataFolder, ...(databaseUrl !== undefined && { databaseUrl }), clock, random })
  const standing = await build({
    config,
    env,
    log: createLog('warn'),
    publicUrl: new URL('http://127.0.0.1'),
    readiness: () => 'ready',
    work: { taken: true },
    opening,
    mediaPolicy: { permits: () => false } as never,
  })
  const close = async () => {
    await standing.close()
    await rm(folder, { recursive: true })
  }
  return { app: standing.app, close }
}
type Opened = Awaited<ReturnType<typeof open>>

const peer = { address: '127.0.0.1', suspendIdleLimit: () => undefined, limitIdle: () => undefined, upgrade: () => false }

async function one({ app }: Opened): Promise<void> {
  const response = await app(new Request(url, { method: 'POST', headers, body }), peer)
  const text = await response.text()
  if (response.status !== 200 || text.length < 100) throw new Error(`${response.status} ${text}`)
}

/** Runs for so many milliseconds; returns microseconds of this thread per request. */
async function run(opened: Opened, ms: number): Promise<number> {
  const before = process.threadCpuUsage()
  const count = await ask(opened, ms)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / count
}

/** Sends requests for so many milliseconds; returns how many. */
async function ask(opened: Opened, ms: number): Promise<number> {
  const until = performance.now() + ms
  let count = 0
  const caller = async () => {
    for (; performance.now() < until; count += 1) await one(opened)
  }
  await Promise.all(Array.from({ length: concurrent }, caller))
  return count
}

/** CPU of all threads, including what is sent afterwards: a collector gets its message within two seconds. */
async function wholeProcess(): Promise<void> {
  const costs = subjects.map((): number[] => [])
  for (let round = 0; round < 3; round += 1)
    for (const [at, each] of opened.entries()) {
      const before = process.cpuUsage()
      const count = await ask(each, 1_500)
      await Bun.sleep(2_500)
      const { user, system } = process.cpuUsage(before)
      costs[at]?.push((user + system) / count)
    }
  for (const [at, [name]] of subjects.entries()) {
    const [best, median] = (costs[at] ?? []).sort((a, b) => a - b)
    console.log(`${name}: ${best?.toFixed(1)} us of all threads per request at best, ${median?.toFixed(1)} at the median`)
  }
}

// The provider takes whatever is sent to it, the exporter's messages too.
const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${provider.port}` }
const metrics = { PARLEY_METRICS: 'token:bench' }
const subjects: [name: string, env: Record<string, string>][] = [['as it is', {}]]
// A second one without any option shows the cost of its position in the process.
if (observed) subjects.push(['the same', {}], ['with metrics', metrics], ['with metrics and traces', { ...metrics, ...collector }])
const opened: Opened[] = []
for (const [, env] of subjects) opened.push(await open(env))
for (const each of opened) await run(each, 3_000)
/** In turns, so that other work on the machine affects all equally. */
const rounds = subjects.map((): number[] => [])
for (let round = 0; round < 15; round += 1) for (const [at, each] of opened.entries()) rounds[at]?.push(await run(each, 500))
const sorted = rounds.map((times) => times.sort((a, b) => a - b))
for (const [at, [name]] of subjects.entries()) {
  const [best, median] = [sorted[at]?.[0] ?? 0, sorted[at]?.[7] ?? 0]
  const share = at === 0 ? '' : `, ${((median / (sorted[0]?.[7] ?? 1) - 1) * 100).toFixed(1)} % more than as it is`
  console.log(`${name}: ${best.toFixed(1)} us of the main thread per request at best, ${median.toFixed(1)} at the median${share}`)
}
if (observed) await wholeProcess()
for (const each of opened) await each.close()
provider.end()
process.exit(0)
