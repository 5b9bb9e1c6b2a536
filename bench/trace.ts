/** What one warm converted stream enters before its upstream is asked: `bun bench/trace.ts`, with `--rooms` the way it takes. */
import { traceRequest } from '#testing/program/request-trace'

const { files, functions, roomChanges, parses, rooms } = await traceRequest()
if (process.argv.includes('--rooms')) for (const stay of rooms) console.log(stay.room.padEnd(20), stay.files.join(' '))
if (process.argv.includes('--files')) console.log(files.join('\n'))
console.log(`${files.length} files, ${functions} functions, ${roomChanges} room changes, ${parses} parses`)
