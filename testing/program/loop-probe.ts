/**
 * Preloaded into the program (`BUN_OPTIONS=--preload=...`): records each piece of work that blocked the event loop, in processor time of
 * its thread, so that load on the machine does not matter. Lines of `LOOP_PROBE`: milliseconds.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env.LOOP_PROBE
/** Milliseconds between checks, and the minimum of work for a line. */
const everyMs = 4
const worthMs = 10

if (isMainThread && file !== undefined) {
  let before = process.threadCpuUsage()
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    const worked = (user + system) / 1000
    if (worked >= worthMs) appendFileSync(file, `${worked.toFixed(1)}\n`)
    before = process.threadCpuUsage()
  }, everyMs).unref()
}
