/**
 * Preloaded into the program (`BUN_OPTIONS=--preload=...`): writes down each piece of work that held the event loop, in processor time of
 * its thread, so that a busy machine changes nothing. Lines of `LOOP_PROBE`: milliseconds.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.env.LOOP_PROBE
/** Milliseconds between looks, and of work worth a line. */
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
