/**
 * `bun bench/compare.ts FOLDER...`: other (installed) checkouts beside this one, nginx and a bare proxy, to find out whether a change
 * pays, even on a machine with other work. All run at once and take turns in many short rounds; the median of each is reported.
 *
 *   --load whole|stream|paced|convert|convert-stream    the load (whole)
 *   --rounds N (9), --seconds N (1), --warm N (3) seconds before the first, --embedded, --only NAME,... (nginx, bare, new, or a folder)
 *   --observed    each checkout also with Prometheus metrics, and with every request traced and sent to a collector besides
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startProvider } from './load/load.ts'
import { idle, stayOnLoadCore } from './load/processes.ts'
import { demandOf } from './scenes/demands.ts'
import { counting, type Figures, faults, load, type Stage } from './scenes/scene.ts'
import { median } from './statistics.ts'
import { bare } from './subjects/bare.ts'
import { nginx } from './subjects/nginx.ts'
import type { startParley } from './subjects/parley.ts'
import type { Running } from './subjects/subject.ts'
import { markdown } from './table.ts'

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    load: { type: 'string', default: 'whole' },
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '1' },
    warm: { type: 'string', default: '3' },
    embedded: { type: 'boolean', default: false },
    only: { type: 'string' },
    observed: { type: 'boolean', default: false },
  },
})
const demand = { ...demandOf(options.load), seconds: Number(options.seconds) }
const unit = demand.stream ? 'event' : 'request'
const engine = options.embedded ? 'embedded' : 'PostgreSQL'

/** Starts a checkout through its own bench, so that its own program runs. */
async function checkout(folder: string, providerPort: number, env: Record<string, string> = {}): Promise<Running> {
  const own: { startParley: typeof startParley } = await import(join(resolve(folder), 'bench/subjects/parley.ts'))
  return own.startParley(engine, providerPort, { env })
}

/** One turn: microseconds for each request or event. */
async function turn(stage: Stage, running: Running): Promise<Figures> {
  const stop = await counting(stage, running)
  const seen = await load(stage, running, demand)
  await idle(running.pid)
  const { cpu, main, database, ...cost } = await stop()
  const count = demand.stream ? cost.events : cost.requests
  return { cpu: cpu / count, main: main / count, database: database / count, faults: seen ? faults(seen) : 0 }
}

type Start = [name: string, start: (port: number) => Promise<Running>]

/** A folder's checkout, observed according to its name; `again` is another one without any observation. */
function observed(name: string, folder: string, collector: number): Start[] {
  const metrics = { PARLEY_METRICS: 'token:bench' }
  const traces = { ...metrics, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector}` }
  return [
    [`${name} again`, (port) => checkout(folder, port)],
    [`${name} metrics`, (port) => checkout(folder, port, metrics)],
    [`${name} traces`, (port) => checkout(folder, port, traces)],
  ]
}

/** A collector that takes everything, in this process. */
const collector = () =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      await request.bytes()
      return Response.json({})
    },
  })

async function main(): Promise<void> {
  stayOnLoadCore()
  const provider = await startProvider()
  const taking = collector()
  const stage: Stage = { provider, folder: mkdtempSync(join(tmpdir(), 'parley-compare-')), quick: false }
  const checkouts = [['new', join(import.meta.dir, '..')] as const, ...folders.map((folder) => [basename(folder), folder] as const)]
  const starts: Start[] = [
    ['nginx', nginx.start],
    ['bare', bare.start],
    ...checkouts.flatMap(([name, folder]): Start[] => [
      [name, (port) => checkout(folder, port)],
      ...(options.observed ? observed(name, folder, taking.port ?? 0) : []),
    ]),
  ]
  const running = new Map<string, Running>()
  const figures = new Map<string, Figures[]>()
  try {
    for (const [name, start] of starts) {
      if (options.only !== undefined && !options.only.split(',').includes(name)) continue
      running.set(name, await start(provider.port))
      figures.set(name, [])
    }
    for (const one of running.values()) await load(stage, one, { ...demand, seconds: Number(options.warm) })
    for (let round = 0; round < Number(options.rounds); round++)
      for (const [name, one] of running) figures.get(name)?.push(await turn(stage, one))
    print(figures)
  } finally {
    for (const one of running.values()) await one.stop()
    provider.end()
    await taking.stop(true)
    rmSync(stage.folder, { recursive: true })
  }
}

function print(figures: ReadonlyMap<string, readonly Figures[]>): void {
  const of = (rounds: readonly Figures[], key: string) => rounds.map((round) => round[key] ?? Number.NaN)
  const base = figures.get('nginx')
  const ratios = (rounds: readonly Figures[], to = base) => of(rounds, 'cpu').map((cpu, at) => cpu / (to?.[at]?.cpu ?? Number.NaN))
  /** A checkout with observation beside the same one without, in the same round. */
  const more = (name: string, rounds: readonly Figures[]) => {
    const own = /^(.+) (again|metrics|traces)$/.exec(name)?.[1]
    return own === undefined ? '' : `${((median(ratios(rounds, figures.get(own))) - 1) * 100).toFixed(1)} %`
  }
  const shown = (value: number) => (Number.isFinite(value) ? value.toFixed(2) : '')
  const rows = [...figures].map(([name, rounds]) => [
    name,
    ...['cpu', 'main', 'database'].map((key) => shown(median(of(rounds, key)))),
    shown(Math.min(...of(rounds, 'cpu'))),
    shown(median(ratios(rounds))),
    more(name, rounds),
    String(of(rounds, 'faults').reduce((sum, one) => sum + one, 0)),
  ])
  console.log(
    markdown([['', `CPU µs/${unit}`, 'main thread', 'database', 'least CPU', 'x nginx', 'more than unwatched', 'faults'], ...rows]),
  )
}

await main()
