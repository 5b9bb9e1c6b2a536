/**
 * `npm run bench:profile`: where Parley's time goes. Loads it under Bun's sampling profiler and prints the shares of the rooms and the
 * functions that ran most, on the main thread; the embedded database's worker is not sampled, but its CPU time is named.
 *
 *   --load whole|stream|paced|convert|convert-stream    the load (whole)
 *   --embedded, --seconds N (8), --functions N (30), --keep FILE for the profile itself, which Chrome's developer tools read
 */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startProvider } from './load/load.ts'
import { stayOnLoadCore } from './load/processes.ts'
import { bookSamples, type CpuProfile, type Shares } from './profile/rooms.ts'
import { demandOf } from './scenes/demands.ts'
import { counting, load, type Stage } from './scenes/scene.ts'
import { startParley } from './subjects/parley.ts'

const { values: options } = parseArgs({
  options: {
    load: { type: 'string', default: 'whole' },
    embedded: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '8' },
    functions: { type: 'string', default: '30' },
    keep: { type: 'string' },
  },
})
const seconds = Number(options.seconds)
const sampleMicros = 500

async function main(): Promise<void> {
  const demand = demandOf(options.load)
  stayOnLoadCore()
  const folder = mkdtempSync(join(tmpdir(), 'parley-profile-'))
  const provider = await startProvider()
  const stage: Stage = { provider, folder, quick: false }
  const bunFlags = `--cpu-prof --cpu-prof-dir=${folder}/profile --cpu-prof-interval=${sampleMicros}`
  const parley = await startParley(options.embedded ? 'embedded' : 'PostgreSQL', provider.port, { bunFlags })
  try {
    await load(stage, parley, { ...demand, seconds: 2 })
    const from = Date.now()
    const stop = await counting(stage, parley)
    await load(stage, parley, { ...demand, seconds })
    const [cost, until] = [await stop(), Date.now()]
    await parley.stop()
    const profile = readProfile(join(folder, 'profile'))
    const booked = bookSamples(profile, resolve(import.meta.dir, '..'), from * 1000, until * 1000)
    const [main, other] = [cost.main / 1e6, (cost.cpu - cost.main) / 1e6]
    console.log(`${options.load}: ${cost.requests} requests and ${cost.events} events in ${((until - from) / 1000).toFixed(1)} s`)
    console.log(`main thread ${main.toFixed(2)} s of CPU, ${booked.samples} samples; other threads ${other.toFixed(2)} s, not sampled`)
    print('Rooms', booked.rooms, booked.samples, 40)
    print('Functions', booked.functions, booked.samples, Number(options.functions))
  } finally {
    await parley.stop()
    provider.end()
    rmSync(folder, { recursive: true })
  }
}

function readProfile(folder: string): CpuProfile {
  const [file] = readdirSync(folder)
  if (file === undefined) throw new Error('Bun wrote no profile')
  if (options.keep !== undefined) copyFileSync(join(folder, file), options.keep)
  return JSON.parse(readFileSync(join(folder, file), 'utf8'))
}

function print(title: string, shares: Shares, all: number, most: number): void {
  console.log(`\n${title}`)
  for (const [name, samples] of shares.slice(0, most)) console.log(`${((100 * samples) / all).toFixed(1).padStart(6)} %  ${name}`)
}

await main()
