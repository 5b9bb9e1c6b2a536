/** Puts load on one target for a fixed time and measures it. Every response is checked, so that fast errors do not count. */
import { cpuTicks, tickMicros } from './process.ts'
import { events } from './upstream.ts'

/** An endpoint under load. */
export interface Target {
  name: string
  url: string
  key: string
  /** The requested model. Default: `bench-model`. */
  model?: string
  /** The process whose CPU time is measured; absent for the upstream itself. */
  pid?: number
}

/** Results of one measurement. */
export interface Figures {
  /** Requests, or events for streams, per second. */
  rate: number
  /** Microseconds of the target's CPU per request, or per event; NaN without a process. */
  cpu: number
  /** Median milliseconds to the whole response, or to a stream's first event, with a single caller. */
  alone: number
}

const body = { messages: [{ role: 'user', content: 'A question of ordinary length, asked again and again.' }] }

/** Measures a target: first the latency of one caller alone, then `callers` at once for `ms` milliseconds. */
export async function measure(target: Target, stream: boolean, callers: number, ms: number): Promise<Figures> {
  const alone: number[] = []
  await repeat(1, ms / 4, async () => {
    alone.push((await ask(target, stream)).firstMs)
  })
  const ticks = () => (target.pid === undefined ? Number.NaN : cpuTicks(target.pid))
  const before = ticks()
  const started = performance.now()
  let done = 0
  await repeat(callers, ms, async () => {
    const { events: more } = await ask(target, stream)
    done += more
  })
  const seconds = (performance.now() - started) / 1000
  return { rate: done / seconds, cpu: ((ticks() - before) * tickMicros) / done, alone: median(alone) }
}

async function repeat(callers: number, ms: number, work: () => Promise<void>): Promise<void> {
  const until = performance.now() + ms
  const caller = async () => {
    do await work()
    while (performance.now() < until)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

async function ask(target: Target, stream: boolean): Promise<{ events: number; firstMs: number }> {
  const started = performance.now()
  const answer = await fetch(`${target.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${target.key}` },
    body: JSON.stringify({ model: target.model ?? 'bench-model', ...body, ...(stream && { stream: true }) }),
  })
  if (answer.status !== 200) throw new Error(`${target.name} responded with ${answer.status}: ${await answer.text()}`)
  if (!stream) {
    if (!/"finish_reason": ?"stop"/.test(await answer.text())) throw new Error(`${target.name} sent an unexpected response`)
    return { events: 1, firstMs: performance.now() - started }
  }
  let [text, firstMs] = ['', 0]
  for await (const piece of answer.body ?? []) {
    firstMs ||= performance.now() - started
    text += Buffer.from(piece).toString()
  }
  const seen = text.split('"content":"word ').length
  if (seen !== events || !text.endsWith('data: [DONE]\n\n')) throw new Error(`${target.name} lost events: ${seen} of ${events}`)
  return { events, firstMs }
}

/** The median; NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** The quantile at `share` (0..1). NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
