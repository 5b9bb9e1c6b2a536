/**
 * Many slow streams at once (by default 5,000 for two minutes), through Parley and then through a minimal proxy. Prints how evenly
 * events arrive, the CPU time per event, and whether memory grows under constant load. Every stream is read to its end and counted:
 * a cut stream or a lost event ends the run. `bun run bench:crowd [STREAMS] [SECONDS]`.
 */
import { startProgram } from '#testing/program/program'
import { declaration } from './declaration.ts'
import { launch } from './launch.ts'
import { quantile } from './load.ts'
import { cpuTicks, residentMb, tickMicros } from './process.ts'

const [streams = 5_000, seconds = 120] = process.argv.slice(2).map(Number)
const paceMs = 1_000
/** The streams are started over this time, so that they do not all arrive at once. */
const rampMs = 20_000
const sampleMs = 1_000

interface Road {
  name: string
  url: string
  pid: number
}

async function main(): Promise<void> {
  const upstream = await launch('upstream.ts', String(seconds), String(paceMs))
  const parley = await startProgram({
    config: declaration(upstream.url),
    env: { PARLEY_LOG: 'warn', BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' },
  })
  const proxy = await launch('proxy.ts', upstream.url)
  console.log(`${streams} streams of ${seconds} events, one event a second`)
  try {
    for (const road of [
      { name: 'Parley', url: parley.url, pid: parley.pid },
      { name: 'bare proxy', url: proxy.url, pid: proxy.pid },
    ]) {
      await crowd(road)
    }
  } finally {
    await parley.stop()
    proxy.end()
    upstream.end()
  }
}

async function crowd({ name, url, pid }: Road): Promise<void> {
  const idle = residentMb(pid)
  const late: number[] = []
  const memory: [seconds: number, mb: number][] = []
  const [started, ticks] = [performance.now(), cpuTicks(pid)]
  let begun = 0
  const watch = setInterval(() => {
    // Only while all of them are running: starting and ending them is not measured.
    if (begun === streams) memory.push([(performance.now() - started) / 1000, residentMb(pid)])
  }, sampleMs)
  const counts = await Promise.all(
    Array.from({ length: streams }, async (_, n) => {
      await Bun.sleep((rampMs * n) / streams)
      const answer = await ask(url)
      begun += 1
      return follow(answer, late)
    }),
  )
  clearInterval(watch)
  const steady = memory.filter(([at]) => at * 1000 < seconds * paceMs)
  const events = counts.reduce((sum, count) => sum + count, 0)
  if (events !== streams * seconds) throw new Error(`${name} lost events: ${events} of ${streams * seconds}`)
  const micros = ((cpuTicks(pid) - ticks) * tickMicros) / events
  const last = steady.at(-1)?.[1] ?? Number.NaN
  console.log(
    [
      name.padEnd(12),
      `events late p50 ${quantile(late, 0.5).toFixed(1)} ms, p99 ${quantile(late, 0.99).toFixed(1)} ms`,
      `CPU ${micros.toFixed(1)} µs/event`,
      `memory ${idle.toFixed(0)} MB idle, ${last.toFixed(0)} MB with all (${((1024 * (last - idle)) / streams).toFixed(0)} kB each)`,
      `slope ${slope(steady.slice(steady.length >> 1)).toFixed(2)} MB/min`,
    ].join(' | '),
  )
}

async function ask(url: string): Promise<Response> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench-key' },
    body: JSON.stringify({ model: 'bench-model', stream: true, messages: [{ role: 'user', content: 'A question of ordinary length.' }] }),
  })
  if (answer.status !== 200) throw new Error(`the response was ${answer.status}: ${await answer.text()}`)
  return answer
}

/** Counts the events, and records in `late` by how many milliseconds each exceeds the expected gap to the one before it. */
async function follow(answer: Response, late: number[]): Promise<number> {
  let [count, before, tail] = [0, 0, '']
  for await (const piece of answer.body ?? []) {
    const text = Buffer.from(piece).toString()
    tail = (tail + text).slice(-16)
    const words = text.split('"content":"word ').length - 1
    if (words === 0) continue
    count += words
    const now = performance.now()
    if (before > 0) late.push(Math.max(0, now - before - paceMs))
    before = now
  }
  if (!tail.endsWith('data: [DONE]\n\n')) throw new Error('a stream was cut')
  // The last event has no text.
  return count + 1
}

/** Growth in megabytes per minute, by linear regression. */
function slope(samples: readonly (readonly [number, number])[]): number {
  const mean = (at: 0 | 1) => samples.reduce((sum, sample) => sum + sample[at], 0) / samples.length
  const [x, y] = [mean(0), mean(1)]
  const over = samples.reduce((sum, [s, mb]) => sum + (s - x) * (mb - y), 0)
  return (60 * over) / samples.reduce((sum, [s]) => sum + (s - x) ** 2, 0)
}

await main()
