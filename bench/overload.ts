/**
 * Three times the request rate that Parley can serve, for ten seconds. Accepted requests should be as fast as ever, the others
 * refused at once, operators served throughout, and everything back to normal when the load ends. `bun run bench:overload`.
 */
import { administrator, administratorPassword, startProgram } from '#testing/program/program'
import { declaration } from './declaration.ts'
import { launch } from './launch.ts'
import { quantile } from './load.ts'

const open = 24
/** Milliseconds that the upstream takes for a response. */
const answerMs = 100
const perSecond = (open * 1000) / answerMs
const loadMs = 10_000

interface Seen {
  status: number
  ms: number
}

async function main(): Promise<void> {
  const upstream = await launch('upstream.ts', '1', '0', String(answerMs))
  const env = { ...administrator, PARLEY_LOG: 'warn', PARLEY_MAX_OPEN: String(open) }
  const parley = await startProgram({ config: declaration(upstream.url), env })
  try {
    await load(parley.url, perSecond / 2, 2_000)
    const normal = await load(parley.url, perSecond / 2, loadMs)
    const stopped = new AbortController()
    const watching = watch(parley.url, stopped.signal)
    const crowd = await load(parley.url, perSecond * 3, loadMs)
    const ended = performance.now()
    const recovered = await recovery(parley.url, times(normal, 200, 0.99))
    stopped.abort()
    print(normal, crowd, recovered - ended, await watching)
  } finally {
    await parley.stop()
    upstream.end()
  }
}

/** Sends requests at a constant rate, without waiting for responses. */
async function load(url: string, rate: number, ms: number): Promise<Seen[]> {
  const started = performance.now()
  const asked: Promise<Seen>[] = []
  while (performance.now() - started < ms) {
    const due = ((performance.now() - started) * rate) / 1000
    while (asked.length < due) asked.push(ask(url))
    await Bun.sleep(1)
  }
  return Promise.all(asked)
}

async function ask(url: string): Promise<Seen> {
  const started = performance.now()
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench-key' },
    body: JSON.stringify({ model: 'bench-model', messages: [{ role: 'user', content: 'A question of ordinary length.' }] }),
  })
  await answer.arrayBuffer()
  return { status: answer.status, ms: performance.now() - started }
}

/** Repeats a health check and a sign-in until `signal`. Returns the milliseconds of each pair; throws when one fails. */
async function watch(url: string, signal: AbortSignal): Promise<number[]> {
  const all: number[] = []
  const body = JSON.stringify({ name: administrator.PARLEY_ADMIN_USER, password: administratorPassword })
  const json = { 'content-type': 'application/json' }
  while (!signal.aborted) {
    const started = performance.now()
    const answers = [await fetch(`${url}/healthz`), await fetch(`${url}/api/session`, { method: 'POST', headers: json, body })]
    for (const { status } of answers) if (status !== 200) throw new Error(`a health check or a sign-in failed with ${status}`)
    all.push(performance.now() - started)
    await Bun.sleep(200)
  }
  return all
}

/** The time when ten requests in a row are as fast as before the load. */
async function recovery(url: string, normalMs: number): Promise<number> {
  for (let good = 0; good < 10; ) {
    const { status, ms } = await ask(url)
    good = status === 200 && ms <= normalMs * 2 ? good + 1 : 0
  }
  return performance.now()
}

const times = (all: readonly Seen[], status: number, share: number) =>
  quantile(
    all.flatMap((one) => (one.status === status ? [one.ms] : [])),
    share,
  )

function print(normal: Seen[], crowd: Seen[], recoveredMs: number, operator: number[]): void {
  const count = (status: number) => crowd.filter((one) => one.status === status).length
  const strange = crowd.length - count(200) - count(503)
  console.log(`${open} requests at once, ${answerMs} ms each: ${perSecond} per second; sent ${perSecond * 3} per second`)
  console.log(`accepted ${count(200)}, refused ${count(503)}, other ${strange}`)
  const [before, during] = [times(normal, 200, 0.99), times(crowd, 200, 0.99)]
  console.log(
    `accepted p99 ${during.toFixed(0)} ms, at half load ${before.toFixed(0)} ms: ${(during / before).toFixed(2)} times (limit: 2)`,
  )
  console.log(`refused p50 ${times(crowd, 503, 0.5).toFixed(1)} ms, p99 ${times(crowd, 503, 0.99).toFixed(1)} ms (limit: 10)`)
  console.log(`health and sign-in together p50 ${quantile(operator, 0.5).toFixed(0)} ms, longest ${Math.max(...operator).toFixed(0)} ms`)
  console.log(`normal again after ${recoveredMs.toFixed(0)} ms (limit: 5,000)`)
}

await main()
