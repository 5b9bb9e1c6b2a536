/**
 * `bun bench/trace.ts`: counts the files and functions that a converted stream passes through before its request goes upstream, in a
 * warm process. `--files` lists the files, `--rooms` the path through the rooms.
 */
import { traceRequest } from '#testing/program/request-trace'

const { files, functions, roomChanges, parses, rooms } = await traceRequest()
if (process.argv.includes('--rooms')) for (const stay of rooms) console.log(stay.room.padEnd(20), stay.files.join(' '))
if (process.argv.includes('--files')) console.log(files.join('\n'))
console.log(`${files.length} files, ${functions} functions, ${roomChanges} room changes, ${parses} parses`)
