/**
 * The load of a hundred instances on a primary, by simulation: `bun bench/scale.ts --seed 1`. Requests of owners follow Zipf's law; an
 * instance takes a lease on an owner's wallet when it has none, and returns it after three idle seconds, as `server/billing/lease` does.
 * Counts calls, rows and takes per second of each primary, with requests routed anywhere and with sticky owners, and how long a cold
 * request waits in each region. Nothing is measured here: `bench/money.ts` and `bench/rows.ts` measure a call and a row.
 */
import { parseArgs } from 'node:util'
import { seeded } from '#testing/seeded'

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' }, seconds: { type: 'string', default: '20' } } })
const seconds = Number(values.seconds)

const instances = 100
const owners = 1_000
/** Milliseconds. A call gathers the requests of a tick; an idle lease is returned. */
const [tickMs, idleMs] = [100, 3_000]
/** Round trips to the primary, in milliseconds; instances are spread over the regions. */
const regions = [
  { name: 'home', rttMs: 1 },
  { name: 'same continent', rttMs: 25 },
  { name: 'another', rttMs: 120 },
]

interface Load {
  perSecond: number
  primaries: number
  sticky: boolean
}

/** The cumulative shares of the owners, the most active first. */
const shares = (() => {
  const weights = Array.from({ length: owners }, (_, rank) => 1 / (rank + 1))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  let reached = 0
  return weights.map((weight) => (reached += weight / sum))
})()

function ownerAt(share: number): number {
  let [low, high] = [0, owners - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((shares[middle] ?? 1) < share) low = middle + 1
    else high = middle
  }
  return low
}

function simulate({ perSecond, primaries, sticky }: Load) {
  const random = seeded(Number(values.seed))
  const lastUsed = new Float64Array(instances * owners).fill(Number.NEGATIVE_INFINITY)
  const rows = new Array<number>(primaries).fill(0)
  let [calls, takes, gives, cold, served] = [0, 0, 0, 0, 0]
  const perTick = Math.round((perSecond * tickMs) / 1_000)
  const ticks = (seconds * 1_000) / tickMs
  const warm = ticks / 4
  for (let tick = 0; tick < ticks; tick++) {
    const now = tick * tickMs
    const counted = tick >= warm
    const calling = new Set<number>()
    for (let n = 0; n < perTick; n++) {
      const owner = ownerAt(random.fraction())
      // A tenth of an owner's requests go astray when its instance changes.
      const instance = sticky && random.fraction() > 0.1 ? (owner * 7_919) % instances : random.below(instances)
      const slice = instance * owners + owner
      const primary = owner % primaries
      const idle = now - (lastUsed[slice] ?? 0)
      lastUsed[slice] = now
      if (!counted) continue
      served += 1
      rows[primary] = (rows[primary] ?? 0) + 1
      calling.add(instance * primaries + primary)
      if (idle <= idleMs) continue
      takes += 1
      cold += 1
      if (Number.isFinite(idle)) gives += 1
    }
    if (counted) calls += calling.size
  }
  const time = seconds * 0.75
  const busiest = Math.max(...rows)
  return {
    rows: busiest / time,
    calls: calls / time / primaries,
    leases: (takes + gives) / time / primaries,
    rowsPerCall: served / calls,
    cold: cold / served,
  }
}

console.log(`seed ${values.seed}: ${instances} instances, ${owners} owners by Zipf's law, ${seconds} s; per primary and second`)
console.log('requests/s  primaries  routing  rows   calls  rows/call  takes+gives  cold')
for (const perSecond of [1_000, 10_000, 50_000, 100_000]) {
  for (const primaries of [1, 4, 16]) {
    for (const sticky of [false, true]) {
      const { rows, calls, leases, rowsPerCall, cold } = simulate({ perSecond, primaries, sticky })
      const cells = [
        perSecond,
        primaries,
        sticky ? 'sticky' : 'any',
        rows.toFixed(0),
        calls.toFixed(0),
        rowsPerCall.toFixed(1),
        leases.toFixed(0),
      ]
      const widths = [10, 11, 9, 7, 7, 11, 13]
      console.log(`${cells.map((cell, n) => String(cell).padStart(widths[n] ?? 0)).join('')}  ${(100 * cold).toFixed(1)} %`)
    }
  }
}
// A call in flight is awaited first.
for (const { name, rttMs } of regions) console.log(`a cold request waits ${rttMs} to ${2 * rttMs} ms for the primary: region ${name}`)
