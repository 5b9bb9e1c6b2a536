/**
 * `bun bench/trace.ts`: counts the files and functions that a converted stream passes through before its request goes upstream, in a warm
 * process, its awaits and allocations, and those of each event. `--sites` lists where, `--files` lists the files, `--rooms` the path
 * through the rooms.
 */
import { traceRequest } from '#testing/program/request-trace'

const { trace, converted, passed } = await traceRequest()
const { files, functions, roomChanges, parses, awaits, objects, rooms } = trace
if (process.argv.includes('--rooms')) for (const stay of rooms) console.log(stay.room.padEnd(20), stay.files.join(' '))
if (process.argv.includes('--files')) console.log(files.join('\n'))
console.log(
  `${files.length} files, ${functions} functions, ${roomChanges} room changes, ${parses} parses, ${awaits} awaits, ${objects} objects`,
)
for (const [kind, work] of Object.entries({ converted, passed })) {
  console.log(`an event, ${kind}: ${work.awaits} awaits, ${work.objects} objects, ${work.writes} writes`)
  if (process.argv.includes('--sites')) for (const [site, times] of work.sites) console.log(`  ${times.toFixed(2)} ${site}`)
}
