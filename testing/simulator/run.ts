/**
 * The simulator by hand: `bun testing/simulator/run.ts --seeds 100000 --from 1`, and with `--plant NAME` to see a
 * planted fault found. A failing seed is printed with its schedule; `--seeds 1 --from SEED` plays it again.
 */
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '10000' }, from: { type: 'string', default: '1' }, plant: { type: 'string' } },
})
const from = Number(values.from)
const seeds = Number(values.seeds)

if (values.plant !== undefined) {
  const { plantFault } = await import('./plants.ts')
  plantFault(values.plant)
}
// Only now: a planted fault changes what is loaded.
const { simulate } = await import('./simulation.ts')

let seed = from
process.on('unhandledRejection', (thrown) => {
  console.error(`seed ${seed}: a rejection that nobody handled`, thrown)
  process.exit(1)
})

for (; seed < from + seeds; seed++) {
  const { faults, lines } = await simulate(seed)
  if (faults.length === 0) continue
  console.error(`seed ${seed} fails\n${lines.join('\n')}\n\n${faults.join('\n')}`)
  process.exit(1)
}
console.log(`${seeds} schedules from seed ${from}: every invariant held`)
