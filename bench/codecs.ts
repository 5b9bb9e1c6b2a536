/**
 * `npm run bench:codecs`: what conversions cost. Reading a client's body of 60 KB (200 messages, scanned before) and writing it for an
 * upstream, and the same for each frame of an answer's stream. The fastest of forty laps, in microseconds. Takes about 20 seconds.
 */
import { dialects, type Lap, requestLap, streamLap } from '#testing/conversions/throughput'

const laps = 40
const lapMs = 6

/** The fastest lap, in microseconds a unit. */
function fastest({ run, units }: Lap): number {
  let best = Number.POSITIVE_INFINITY
  // The first laps only warm up.
  for (let lap = -10; lap < laps; lap++) {
    const start = performance.now()
    let runs = 0
    while (performance.now() - start < lapMs) {
      run()
      runs++
    }
    const took = ((performance.now() - start) * 1000) / (runs * units)
    if (lap >= 0) best = Math.min(best, took)
  }
  return best
}

const shown = (lap: Lap | undefined, digits: number) => (lap ? fastest(lap).toFixed(digits) : '-').padStart(13)

function table(title: string, head: string, row: (from: (typeof dialects)[number]) => string[]): void {
  console.log(`\n${title}\n${head.padEnd(13)}${['read', ...dialects].map((name) => name.padStart(13)).join('')}`)
  for (const from of dialects) console.log(from.padEnd(13) + row(from).join(''))
}

table('A request of 60 KB, µs: read, and read and written for', 'client', (client) => [
  shown(requestLap(client), 0),
  ...dialects.map((upstream) => shown(requestLap(client, upstream), 0)),
])
table('A frame of a stream, µs: read, and read and written for', 'upstream', (upstream) => [
  shown(streamLap(upstream), 2),
  ...dialects.map((client) => shown(streamLap(upstream, client), 2)),
])
