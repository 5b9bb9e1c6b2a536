/**
 * `bun bench/inside.ts`: what the program's own code costs for one request, in microseconds of the thread that carries it, without a
 * server: the handler is called in this process and asks a provider. `--stream N` asks for a stream of N events,
 * `--converted` asks a Chat upstream in the Messages dialect, `--kept` keeps the bodies. Run it with `bun --cpu-prof` to see where the time goes.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { build } from '#app/app'
import { readConfig } from '#app/config'
import { createLog } from '#runtime/log'
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

const folder = await mkdtemp(`${tmpdir()}/parley-inside-`)
await Bun.write(`${folder}/parley.yaml`, declared.replace('PORT', String(provider.port)))
const env = { PARLEY_DATA: `${folder}/data`, PARLEY_CONFIG: `${folder}/parley.yaml`, DATABASE_URL: process.env.DATABASE_URL }
const standing = await build({
  config: readConfig(env),
  env,
  log: createLog('warn'),
  publicUrl: new URL('http://127.0.0.1'),
  readiness: () => 'ready',
  work: { taken: true },
  say: () => undefined,
  mediaPolicy: { permits: () => false } as never,
})
const peer = { address: '127.0.0.1', suspendIdleLimit: () => undefined, limitIdle: () => undefined, upgrade: () => false }

async function one(): Promise<void> {
  const response = await standing.app(new Request(url, { method: 'POST', headers, body }), peer)
  const text = await response.text()
  if (response.status !== 200 || text.length < 100) throw new Error(`${response.status} ${text}`)
}

/** Runs for so many milliseconds; answers microseconds of this thread per request. */
async function run(ms: number): Promise<number> {
  const until = performance.now() + ms
  let count = 0
  const before = process.threadCpuUsage()
  const caller = async () => {
    for (; performance.now() < until; count += 1) await one()
  }
  await Promise.all(Array.from({ length: concurrent }, caller))
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / count
}

await run(4_000)
const rounds: number[] = []
for (let round = 0; round < 15; round += 1) rounds.push(await run(600))
rounds.sort((a, b) => a - b)
console.log(`${rounds[0]?.toFixed(1)} us of the main thread per request at best, ${rounds[7]?.toFixed(1)} at the median`)
await standing.close()
provider.end()
await rm(folder, { recursive: true })
process.exit(0)
