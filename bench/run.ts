/**
 * `npm run bench`: Parley on both databases beside nginx and other installed gateways, in one run and taking turns. Prints CPU time as
 * multiples of nginx, latencies, memory, and behaviour under overload. docs/performance.md explains the tables.
 *
 *   --only requests,streams,paced,converted,silent,large,overload,start    some scenes only
 *   --subjects nginx,postgresql,embedded,...                                some subjects only, by part of their name; `deno` only if named
 *   --silent N       silent streams (2,000)
 *   --quick          short runs, to try the bench itself
 *   --out FILE       also writes the figures of every round, as JSON
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startProvider } from './load/load.ts'
import { memoryOfTree, stayOnLoadCore } from './load/processes.ts'
import { convertedScenes } from './scenes/converted.ts'
import { large, silent } from './scenes/memory.ts'
import { overload } from './scenes/overload.ts'
import { requests } from './scenes/requests.ts'
import type { Column, Figures, Scene, Stage } from './scenes/scene.ts'
import { pacedScenes, streams } from './scenes/streams.ts'
import { nginx } from './subjects/nginx.ts'
import { parley, parleyOnDeno } from './subjects/parley.ts'
import { otherGateways } from './subjects/peers.ts'
import { direct, type Running, type Subject } from './subjects/subject.ts'
import { directly, sceneTable } from './table.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'start,requests,streams,paced,converted,silent,large,overload' },
    subjects: { type: 'string', default: '' },
    silent: { type: 'string', default: '2000' },
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
})

const scenes: Record<string, readonly Scene[]> = {
  requests: [requests],
  streams: [streams],
  paced: pacedScenes,
  converted: convertedScenes,
  silent: [silent(Number(options.silent))],
  large: [large],
  overload: [overload],
}

/** Start-up and memory at rest, which have no load. */
const start: { title: string; remark: string; columns: Column[] } = {
  title: 'Start and rest',
  remark:
    'From the command (Parley: `npm start`, everything installed, the database existing) to the first answer; memory five seconds after.',
  columns: [
    { key: 'first', title: 'first answer ms', digits: 0 },
    { key: 'memory', title: 'memory MB', digits: 0 },
  ],
}

const raw: Record<string, Record<string, readonly Figures[]>> = {}

async function main(): Promise<void> {
  const wanted = options.only.split(',')
  const unknown = wanted.filter((one) => one !== 'start' && !(one in scenes))
  if (unknown.length > 0) throw new Error(`no such scene: ${unknown.join(', ')}. There are: start, ${Object.keys(scenes).join(', ')}`)
  stayOnLoadCore()
  const provider = await startProvider()
  const stage: Stage = { provider, folder: mkdtempSync(join(tmpdir(), 'parley-bench-')), quick: options.quick }
  const running = new Map<Subject, Running>()
  try {
    for (const subject of chosen()) await startInto(running, subject, provider.port)
    console.log(
      `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model}, Bun ${Bun.version}${options.quick ? ', a quick run' : ''}\n`,
    )
    if (wanted.includes('start')) await measureStart(stage, running)
    for (const scene of wanted.flatMap((one) => scenes[one] ?? [])) await play(scene, stage, running)
  } finally {
    for (const one of running.values()) await one.stop()
    provider.end()
    rmSync(stage.folder, { recursive: true })
    if (options.out !== undefined) writeFileSync(options.out, JSON.stringify(raw, null, 1))
  }
}

/** The selected subjects that are installed; prints how to install the others. */
function chosen(): Subject[] {
  const parts = options.subjects.toLowerCase().split(',')
  const all = [nginx, parley('PostgreSQL'), parley('embedded'), ...otherGateways]
  // Only if it is selected explicitly.
  if (parts.includes('deno')) all.push(parleyOnDeno)
  return all
    .filter((subject) => parts.some((part) => subject.name.toLowerCase().includes(part)))
    .filter((subject) => {
      const missing = subject.missing()
      if (missing !== undefined) console.log(`${subject.name} is not installed: ${missing}`)
      return missing === undefined
    })
}

/** Starts a subject. One that does not start is left out from then on. */
async function startInto(running: Map<Subject, Running>, subject: Subject, providerPort: number): Promise<void> {
  progress(`starting ${subject.name}`)
  running.delete(subject)
  const started = await subject.start(providerPort).catch((error: Error) => console.log(error.message))
  if (started) running.set(subject, started)
}

async function measureStart({ provider }: Stage, running: Map<Subject, Running>): Promise<void> {
  await Bun.sleep(5000)
  const results = new Map<string, Figures[]>()
  for (const [subject, { pid }] of running) results.set(subject.name, [{ memory: memoryOfTree(pid) }])
  for (const [subject] of running) {
    progress(`start, ${subject.name}`)
    const [figures] = results.get(subject.name) ?? []
    if (figures) figures.first = await subject.timeStart(provider.port)
  }
  print(start, results)
}

/** Measures a scene, the subjects taking turns, and prints its table. A subject that fails drops out of the scene. */
async function play(scene: Scene, stage: Stage, running: Map<Subject, Running>): Promise<void> {
  const results = new Map<string, Figures[]>()
  const measured = async (who: string, subject: Running) => {
    progress(`${scene.title}, ${who}`)
    const figures = await scene.measure(stage, subject).catch((error: Error) => {
      console.log(`${scene.title}, ${who}: ${error.message}`)
    })
    if (figures) results.set(who, [...(results.get(who) ?? []), figures])
  }
  for (let round = 0; round < (options.quick ? 1 : scene.rounds); round++) {
    if (scene.direct) await measured(directly, direct(stage.provider))
    for (const [subject, before] of [...running]) {
      if (scene.withoutNginx && subject === nginx) continue
      if (scene.fresh) {
        await before.stop()
        await startInto(running, subject, stage.provider.port)
      }
      const now = running.get(subject)
      if (now !== undefined) await measured(subject.name, now)
    }
  }
  print(scene, results)
  if (scene === requests && (results.get(directly)?.[0]?.rate ?? 0) < 50_000)
    console.log(
      'The provider, asked directly, answers fewer than 50,000 requests a second: the machine is slow or busy, and figures are rough.\n',
    )
}

function print(scene: Pick<Scene, 'title' | 'remark' | 'columns'>, results: Map<string, Figures[]>): void {
  raw[scene.title] = Object.fromEntries(results)
  console.log(sceneTable(scene, results))
}

const progress = (what: string) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${what}\n`)

await main()
