/**
 * `npm run bench:soak`: half of Parley's capacity, a quarter as whole answers and a quarter as streams, for ten minutes. Prints the answers
 * and the memory every half minute; memory must be flat. `--minutes N`, `--embedded`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Load, startProvider } from './load/load.ts'
import { idle, memoryOfTree, stayOnLoadCore } from './load/processes.ts'
import { faults, load, type Stage } from './scenes/scene.ts'
import { slope } from './statistics.ts'
import { startParley } from './subjects/parley.ts'
import type { Running } from './subjects/subject.ts'
import { markdown } from './table.ts'

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, embedded: { type: 'boolean', default: false } },
})
const minutes = Number(options.minutes)
const sliceSeconds = Math.min(30, minutes * 15)
const events = 50
const streamed = { stream: true, pace: { events } }

async function main(): Promise<void> {
  stayOnLoadCore()
  const provider = await startProvider()
  const stage: Stage = { provider, folder: mkdtempSync(join(tmpdir(), 'parley-soak-')), quick: false }
  const engine = options.embedded ? 'embedded' : 'PostgreSQL'
  const running = await startParley(engine, provider.port)
  try {
    const rest = memoryOfTree(running.pid)
    const whole = (await capacity(stage, running, false)) / 4
    const streams = (await capacity(stage, running, true)) / 4
    console.log(
      `${engine}: ${whole.toFixed(0)} whole answers and ${streams.toFixed(0)} streams of ${events} events a second, ${minutes} minutes\n`,
    )
    const memory = await soak(stage, running, whole, streams)
    await idle(running.pid)
    const settled = memory.filter(([minute]) => minute > minutes / 2)
    console.log(`\nmemory at rest ${rest.toFixed(0)} MB, at the end ${memoryOfTree(running.pid).toFixed(0)} MB`)
    console.log(`in the second half it grew by ${slope(settled).toFixed(2)} MB a minute`)
  } finally {
    await running.stop()
    provider.end()
    rmSync(stage.folder, { recursive: true })
  }
}

/** Answers a second that 64 connections get, or streams a second that 16 get. */
async function capacity(stage: Stage, running: Running, stream: boolean): Promise<number> {
  const demand = stream ? { ...streamed, connections: 16 } : { connections: 64 }
  await load(stage, running, { ...demand, seconds: 2 })
  const seen = await load(stage, running, { ...demand, seconds: 4 })
  await idle(running.pid)
  return (seen?.ok ?? 0) / 4
}

/** Loads Parley in time slices, and resolves with its memory at every second. */
async function soak(stage: Stage, running: Running, whole: number, streams: number): Promise<[minute: number, megabytes: number][]> {
  const memory: [number, number][] = []
  const told: string[] = []
  const begun = performance.now()
  const minute = () => (performance.now() - begun) / 60_000
  const watching = setInterval(() => memory.push([minute(), memoryOfTree(running.pid)]), 1000)
  const heads = ['minute', 'whole/s', 'p50 ms', 'p99 ms', 'streams/s', 'p50 ms', 'p99 ms', 'faults', 'memory MB']
  console.log(markdown([heads]))
  while (minute() < minutes) {
    const shared = { connections: 2000, seconds: sliceSeconds }
    const loads = [load(stage, running, { ...shared, rate: whole }), load(stage, running, { ...shared, ...streamed, rate: streams })]
    const [answers, flows] = await Promise.all(loads)
    if (answers === undefined || flows === undefined) throw new Error('Parley has no such route')
    const wrong = faults(answers) + faults(flows) + answers.unsent + flows.unsent
    if (wrong > 0) told.push(`${minute().toFixed(1)}: ${[answers, flows].map(outcomes).join(', ')}`)
    const cells = [minute().toFixed(1), ...rates(answers), ...rates(flows), String(wrong), memoryOfTree(running.pid).toFixed(0)]
    console.log(`| ${cells.map((cell, at) => cell.padStart(heads[at]?.length ?? 0)).join(' | ')} |`)
  }
  clearInterval(watching)
  if (told.length > 0) console.log(`\nfaults by status, of whole answers and of streams:\n${told.join('\n')}`)
  return memory
}

const outcomes = ({ statuses, failed, unsent }: Load) => JSON.stringify({ ...statuses, failed, unsent })

const rates = ({ ok, seconds, latency }: Load) => [
  (ok / seconds).toFixed(0),
  (latency.p50 / 1000).toFixed(1),
  (latency.p99 / 1000).toFixed(1),
]

await main()
