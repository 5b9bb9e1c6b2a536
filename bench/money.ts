/**
 * `npm run bench:money`: the cost of hold and settle on both database engines, compared with books that ask the database for every
 * hold (simultaneous ones share a statement). Variants take turns, on wallets whose keys have budgets. The table shows medians over
 * the rounds, latencies in milliseconds. After every round the books are verified; an error ends the run. Takes about a minute.
 */
import { type BooksSetting, type Lap, openTrack } from '#testing/books/throughput'
import { engines } from '#testing/database/database'
import { median, quantile } from './statistics.ts'

interface Scene {
  name: string
  wallets: number
  callers: number
  requests: number
}

const rounds = 3
const scenes: readonly Scene[] = [
  { name: 'one caller alone', wallets: 1, callers: 1, requests: 300 },
  { name: '32 callers, one hot wallet', wallets: 1, callers: 32, requests: 2000 },
  { name: '32 callers, 50 wallets', wallets: 50, callers: 32, requests: 2000 },
]
const minute = 60_000
const variants = new Map<string, BooksSetting>([
  ['leased', { coverMs: minute, settleWaits: true }],
  // Callers outpace the database here: a hold that needs the database queues behind hundreds of settlements.
  ['leased, settles not awaited', { coverMs: minute, settleWaits: false }],
  ['database for every hold', { coverMs: 0, settleWaits: true }],
])

async function main(): Promise<void> {
  for (const engine of engines) {
    for (const scene of scenes) {
      const track = await openTrack(engine, scene.wallets)
      const laps = new Map<string, Lap[]>([...variants.keys()].map((name) => [name, []]))
      try {
        for (let round = 0; round < rounds; round++) {
          // The database grows during a round, so every variant takes every position once.
          const turn = [...variants].slice(round).concat([...variants].slice(0, round))
          for (const [name, setting] of turn) laps.get(name)?.push(await track.lap(setting, scene.requests, scene.callers))
        }
      } finally {
        await track.close()
      }
      print(`${engine}, ${scene.name}`, laps)
    }
  }
}

function print(title: string, laps: ReadonlyMap<string, readonly Lap[]>): void {
  console.log(`\n${title}`)
  console.log(row('', 'settles/s', 'hold p50', 'p99', 'hold+settle p50', 'p99', 'holds asking the DB', 'statements/request'))
  for (const [name, all] of laps) {
    const middle = (figure: (lap: Lap) => number, digits: number) => median(all.map(figure)).toFixed(digits)
    const rate = middle((lap) => lap.rate, 0)
    const latency = (of: 'holds' | 'both', share: number) => middle((lap) => quantile(lap[of], share), 3)
    const latencies = [latency('holds', 0.5), latency('holds', 0.99), latency('both', 0.5), latency('both', 0.99)]
    const asked = `${middle((lap) => 100 * lap.asked, 1)} %`
    const statements = middle((lap) => lap.statements, 3)
    console.log(row(name, rate, ...latencies, asked, statements))
  }
}

const row = (name: string, ...cells: readonly string[]) => name.padEnd(28) + cells.map((cell) => cell.padStart(20)).join('')

await main()
