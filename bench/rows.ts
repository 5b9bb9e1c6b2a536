/**
 * `npm run bench:rows`: what one usage row costs, from the settled request to the committed row with its charge, in microseconds of CPU:
 * of the main thread, of the process's other threads (among them the embedded database), and of PostgreSQL's server. Rows are written as
 * the product does, so many at a time; then the hour is added up. Arguments choose engines, `embedded` or `postgres`. Takes about two
 * minutes.
 */
import { openRowTrack, type RowCost } from '#testing/books/row-track'
import { engines } from '#testing/database/database'
import { median } from './statistics.ts'

const sizes = [1, 10, 100, 1000]
const rounds = 3
/** Rows of a lap. */
const lapRows = { embedded: [500, 2000, 4000, 4000], postgres: [2000, 5000, 10_000, 10_000] }

async function main(asked: readonly string[]): Promise<void> {
  for (const engine of engines) {
    if (asked.length > 0 && !asked.includes(engine)) continue
    const track = await openRowTrack(engine)
    const laps = new Map<string, RowCost[]>()
    const note = (name: string, cost: RowCost) => laps.set(name, [...(laps.get(name) ?? []), cost])
    await track.lap(1000, 100)
    for (let round = 0; round < rounds; round++) {
      for (const [n, size] of sizes.entries()) note(`${size} at a time`, await track.lap(lapRows[engine][n] ?? 0, size))
    }
    note('adding up the hour', await track.addUp())
    await track.close()
    print(engine, laps)
  }
}

function print(title: string, laps: ReadonlyMap<string, readonly RowCost[]>): void {
  console.log(`\n${title}, microseconds per row\n${line('', 'main thread', 'other threads', 'server', 'all', 'wall clock')}`)
  for (const [name, all] of laps) {
    const middle = (figure: (cost: RowCost) => number) => median(all.map(figure)).toFixed(1)
    const sum = middle(({ main, others, database }) => main + others + database)
    console.log(
      line(
        name,
        ...(['main', 'others', 'database'] as const).map((part) => middle((cost) => cost[part])),
        sum,
        middle(({ wall }) => wall * 1000),
      ),
    )
  }
}

const line = (name: string, ...cells: readonly string[]) => name.padEnd(24) + cells.map((cell) => cell.padStart(15)).join('')

await main(process.argv.slice(2))
