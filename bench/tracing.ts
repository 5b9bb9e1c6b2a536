/**
 * `bun bench/tracing.ts`: what tracing adds to a request, by part, in microseconds of CPU of all threads, without the rest of a request:
 * its ids and headers, recording its spans, and sending them to a collector, another process that accepts everything. A tight loop is
 * the best case: in a whole program the processor's caches are shared (`bench/compare.ts --observed`).
 */
import { noUsage } from '#canonical/usage'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import type { AttemptRow } from '#shared/console/log'
import type { NewLog } from '#store/ledger/ledger'
import { createLot } from '#telemetry/lot'
import { telemetrySettings } from '#telemetry/settings'
import { createTelemetry } from '#telemetry/telemetry'
import { tracedRequests } from '#telemetry/traced-requests'
import { usageRow } from '#testing/usage-row'
import { median } from './statistics.ts'

const count = 8_000
const vendors = new Map([['chat', 'openai-compatible']])
const noHeaders = { get: () => null }

/** The row of a whole answer. */
function finished(): NewLog {
  const attempt: AttemptRow = { channel: 'chat', key: 'first', phase: 'done', ms: 12.5, status: 200, cause: null }
  const tokens = Math.floor(random.fraction() * 1_000)
  const usage = noUsage()
  usage.in.fresh = tokens
  usage.out.total = tokens
  return usageRow({
    ...{
      requestId: `req_${random.base62(22)}`,
      at: new Date(clock.now()),
      totalMs: 20.25,
      model: 'bench-chat',
      upstreamModel: 'bench-chat',
    },
    ...{ attempts: [attempt], usage, cost: BigInt(tokens) * 1_000n, channel: 'chat', key: 'bench', group: 'default' },
  })
}

const requests = tracedRequests(clock, random, () => true)

function ids(row: NewLog): void {
  const trace = requests.begin(row.requestId, noHeaders)
  for (const attempt of row.attempts) {
    trace.begin(attempt)
    trace.headersOf(attempt)
  }
}

/** Microseconds of CPU of all threads for each of `count` rows. */
async function timed(work: (rows: readonly NewLog[]) => void | Promise<void>): Promise<number> {
  const rows = Array.from({ length: count }, finished)
  const before = process.cpuUsage()
  await work(rows)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

/** 16 at a time, 8,000 a second at most, as on a busy event loop; more than the thread can process would be dropped. */
async function inTurns(rows: readonly NewLog[], work: (row: NewLog) => void): Promise<void> {
  for (let at = 0; at < rows.length; at += 16) {
    for (const row of rows.slice(at, at + 16)) work(row)
    await clock.sleep(2)
  }
}

const collector = Bun.spawn(
  [
    process.execPath,
    '-e',
    'const s = Bun.serve({ port: 0, hostname: "127.0.0.1", async fetch(r) { await r.bytes(); return Response.json({}) } }); console.log(s.port)',
  ],
  { stdout: 'pipe' },
)
const port = new TextDecoder().decode((await collector.stdout.getReader().read()).value).trim()
const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, ...process.env }
const settings = telemetrySettings(env)
if (settings === undefined) throw new Error('no collector')

const log = { debug() {}, info() {}, warn: console.error, error: console.error }
const telemetry = createTelemetry({
  ...{ settings, tls: undefined, env, version: '0', instance: 'bench', clock, random, log },
  ...{ openRequests: () => 0, vendors: () => vendors },
})

const turnsAlone = () => timed((rows) => inTurns(rows, () => undefined))
const parts: [name: string, measure: () => Promise<number>][] = [
  ['turns of the event loop, which are in all rows', turnsAlone],
  [
    'ids and headers',
    () =>
      timed((rows) =>
        inTurns(rows, (row) => {
          ids(row)
          requests.end(row.requestId)
        }),
      ),
  ],
  [
    'the same, and written down',
    () => {
      const lot = createLot(128, () => vendors)
      return timed((rows) =>
        inTurns(rows, (row) => {
          ids(row)
          lot.add(row, requests.end(row.requestId), true)
          if (lot.isFull()) lot.take()
        }),
      )
    },
  ],
  [
    'the same, and sent, with metrics',
    () =>
      timed(async (rows) => {
        await inTurns(rows, (row) => {
          const trace = telemetry.begin(row.requestId, noHeaders)
          for (const attempt of row.attempts) {
            trace.begin(attempt)
            trace.headersOf(attempt)
          }
          telemetry.observe(row)
        })
        // Until the last message has gone.
        await clock.sleep(settings.spansWithinMs + 500)
      }),
  ],
]

const figures = parts.map((): number[] => [])
for (const [, measure] of parts) await measure()
for (let round = 0; round < 7; round += 1) for (const [at, [, measure]] of parts.entries()) figures[at]?.push(await measure())
for (const [at, [name]] of parts.entries()) {
  const rounds = figures[at] ?? []
  console.log(`${median(rounds).toFixed(2).padStart(7)} us at the median, ${Math.min(...rounds).toFixed(2)} at the least: ${name}`)
}
collector.kill()
process.exit(0)
