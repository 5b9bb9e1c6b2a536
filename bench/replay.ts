/**
 * `npm run bench:replay`: how long a start on PostgreSQL takes that finds a full journal, and the start after it. The journal is made by the
 * product: a process with leases whose database falls silent answers requests until it hears `journal_full`, and ends as by `kill -9`. The
 * books are verified; an error ends the run. An argument names other mebibytes than the 256 of the default. Takes about a minute.
 */
import { timeReplay } from '#testing/books/replay-track'

const mebibytes = Number(process.argv[2] ?? 256)
const { requests, replay, next, cpu } = await timeReplay(mebibytes * 1024 * 1024)
const seconds = (ms: number) => (ms / 1000).toFixed(1)
console.log(`${mebibytes} MiB, ${requests} requests: replayed in ${seconds(replay)} s, the next start took ${seconds(next)} s`)
console.log(
  `CPU of the replay: ${seconds(cpu.main)} s on the thread that reads, ${seconds(cpu.others)} s on others, ${seconds(cpu.database)} s in the database`,
)
