/**
 * `npm run bench`: Parley's overhead compared with calling the upstream directly and with a minimal proxy on this runtime. All
 * targets use the same upstream on 127.0.0.1 and take turns in every round; the table shows medians over the rounds. Takes about a
 * minute. Ratios can be compared between machines, absolute figures cannot.
 */
import { startProgram } from '#testing/program/program'
import { declaration } from './declaration.ts'
import { launch } from './launch.ts'
import { type Figures, measure, median, type Target } from './load.ts'

const rounds = 3
const warmUpMs = 1000
const roundMs = 2500
/** Through Parley: Chat to a Chat upstream, and Chat converted to another dialect. */
const routes = [
  { name: 'Parley', model: 'bench-model' },
  { name: 'to Messages', model: 'bench-messages' },
  { name: 'to Gemini', model: 'bench-gemini' },
]
const scenes = [
  { name: 'Whole responses', stream: false, callers: 16, unit: 'request' },
  { name: 'Streams', stream: true, callers: 32, unit: 'event' },
]

async function main(): Promise<void> {
  const upstream = await launch('upstream.ts')
  const proxy = await launch('proxy.ts', upstream.url)
  const parley = await startProgram({ config: declaration(upstream.url), env: { PARLEY_LOG: 'warn' } })
  const straight: Target = { name: 'upstream', url: upstream.url, key: 'none' }
  const targets = [
    straight,
    { name: 'bare proxy', ...proxy, key: 'none' },
    ...routes.map(({ name, model }) => ({ name, model, url: parley.url, pid: parley.pid, key: 'sk-bench-key' })),
  ]
  try {
    for (const scene of scenes) {
      const results = await race(targets, scene.stream, scene.callers)
      print(scene, results)
    }
  } finally {
    await parley.stop()
    proxy.end()
    upstream.end()
  }
}

async function race(targets: readonly Target[], stream: boolean, callers: number): Promise<Map<string, Figures>> {
  for (const target of targets) await measure(target, stream, callers, warmUpMs)
  const all = new Map<string, Figures[]>(targets.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    // Parley's database grows during a round, so the targets rotate their positions.
    const turn = [...targets.slice(round), ...targets.slice(0, round)]
    for (const target of turn) all.get(target.name)?.push(await measure(target, stream, callers, roundMs))
  }
  const middle = (figures: Figures[], field: keyof Figures) => median(figures.map((one) => one[field]))
  return new Map([...all].map(([name, f]) => [name, { rate: middle(f, 'rate'), cpu: middle(f, 'cpu'), alone: middle(f, 'alone') }]))
}

function print({ name, unit, callers, stream }: (typeof scenes)[number], results: Map<string, Figures>): void {
  const base = results.get('bare proxy')?.cpu ?? Number.NaN
  const straight = results.get('upstream')?.alone ?? Number.NaN
  const own = results.get('Parley')?.cpu ?? Number.NaN
  const first = stream ? 'first event' : 'response'
  console.log(`\n${name}, ${callers} callers`)
  console.log(row('', `${unit}s/s`, `CPU µs/${unit}`, 'x proxy', 'x Parley', `${first} p50 ms`, 'added ms'))
  for (const [target, { rate, cpu, alone }] of results) {
    const costs = Number.isNaN(cpu) ? ['-', '-', '-'] : [cpu.toFixed(1), (cpu / base).toFixed(2), (cpu / own).toFixed(2)]
    console.log(row(target, rate.toFixed(0), ...costs, alone.toFixed(2), (alone - straight).toFixed(2)))
  }
}

const row = (name = '', ...cells: (string | undefined)[]) => name.padEnd(12) + cells.map((cell = '') => cell.padStart(20)).join('')

await main()
