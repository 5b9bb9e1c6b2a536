/**
 * Runs the simulator by hand: `bun testing/simulator/run.ts --seeds 100000 --from 1`, or with `--plant NAME` to see a planted fault
 * detected. Prints the schedule of the first failing seed; `--seeds 1 --from SEED` replays it.
 */
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '10000' }, from: { type: 'string', default: '1' }, plant: { type: 'string' } },
})
const from = Number(values.from)
const seeds = Number(values.seeds)

if (values.plant !== undefined) {
  const { plantFault } = await import('./planted-faults.ts')
  plantFault(values.plant)
}
// Imported after planting, which changes the source that is loaded.
const { simulate } = await import('./simulation.ts')

let seed = from
process.on('unhandledRejection', (thrown) => {
  console.error(`seed ${seed}: unhandled rejection`, thrown)
  process.exit(1)
})

for (; seed < from + seeds; seed++) {
  const { faults, lines } = await simulate(seed)
  if (faults.length === 0) continue
  console.error(`seed ${seed} fails\n${lines.join('\n')}\n\n${faults.join('\n')}`)
  process.exit(1)
}
console.log(`${seeds} schedules from seed ${from}: all invariants held`)
