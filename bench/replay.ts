/**
 * `npm run bench:replay`: how long a start on PostgreSQL with a full journal takes, and the start after it. The journal is made by the
 * product: a process with leases whose database stops answering serves requests until it gets `journal_full`, and ends as by `kill -9`. The
 * books are verified; an error ends the run. An argument sets other mebibytes than the default of 256. Takes about a minute.
 */
import { timeReplay } from '#testing/books/replay-track'

const mebibytes = Number(process.argv[2] ?? 256)
const { requests, replay, next, cpu } = await timeReplay(mebibytes * 1024 * 1024)
const seconds = (ms: number) => (ms / 1000).toFixed(1)
console.log(`${mebibytes} MiB, ${requests} requests: replayed in ${seconds(replay)} s, the next start took ${seconds(next)} s`)
console.log(
  `CPU of the replay: ${seconds(cpu.main)} s on the thread that reads, ${seconds(cpu.others)} s on others, ${seconds(cpu.database)} s in the database`,
)
