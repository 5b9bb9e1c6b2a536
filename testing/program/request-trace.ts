/**
 * Traces the functions that a request enters on its way to the upstream: a warm streamed Messages request, converted for an upstream that
 * uses Chat, in a program that records every function it enters (`trace-preload.ts`). Of several requests, the one that enters the fewest
 * counts: on a busy machine another may coincide with the refill of a lease or of a cache.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wait } from '#testing/upstream/scripted-answers'
import { type Script, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { startProgram } from './program.ts'

/** The total work for one event of a stream. */
export interface EventWork {
  /** Promises that are awaited. */
  awaits: number
  /** Objects, arrays, functions and instances that our own code creates. */
  objects: number
  /** Pieces handed to the outgoing stream. */
  writes: number
}

/** The trace from the arrival of a request to the call of its upstream. */
export interface RequestTrace extends Omit<EventWork, 'writes'> {
  /** Source files with at least one function entered, including `shared`. */
  files: string[]
  /** Number of distinct functions. */
  functions: number
  /** How often a function is in another top-level room of `server/` than the previous one; `shared` does not count. */
  roomChanges: number
  /** Number of calls of JSON.parse. */
  parses: number
  /** The rooms in the order in which they are entered, and the files entered during each visit. */
  rooms: { room: string; files: string[] }[]
}

/** The places where an event allocates or awaits most, as `path:line what`, and how often. */
export type Sites = readonly (readonly [site: string, times: number])[]

/**
 * The work for an event, by place, and for a whole request with a short answer, from its arrival until its row is written; `atOnce`: if all
 * of the answer comes in one packet.
 */
export type StreamWork = EventWork & { sites: Sites; request: EventWork; atOnce: EventWork }

/** A trace, and the work of a lone event: of the converted stream, and of one in the upstream's own dialect. */
export interface TracedWork {
  trace: RequestTrace
  converted: StreamWork
  passed: StreamWork
}

const declared = (upstream: string) => `
channels:
  - { name: chat, vendor: openai-compatible, baseUrl: "${upstream}/v1", keys: [sk-vendor], models: [gpt-test] }
prices:
  gpt-test: { input: 1, output: 2 }
users:
  - { name: somebody, balance: 1000 }
keys:
  - { name: traced, user: somebody, key: sk-traced-key }
`

const question = (content: string) => ({ model: 'gpt-test', max_tokens: 4_000, stream: true, messages: [{ role: 'user', content }] })
const asked = { ...question('What is the tallest mountain?'), max_tokens: 200, system: 'Be brief.' }

/** Requests before the traced ones, until nothing is loaded for the first time any more. */
const warmUps = 3
const traced = 6
/** Words of a short and of a long answer, one event each, how often both are requested, and how often the short one in addition. */
const [short, long, rounds, more] = [20, 120, 4, 8]
/** Milliseconds between two events. */
const everyMs = 3

/** As many words as the question says, each in a separate packet, or all in one; other questions are left to the vendor. */
function wordsOr(vendor: Script): Script {
  return async (exchange) => {
    const [, words, atOnce] = /"(\d+) words( at once)?"/.exec(exchange.request.text()) ?? []
    if (words === undefined) return vendor(exchange)
    let held = ''
    const say = async (text: string) => {
      held += text
      if (atOnce) return
      await exchange.chunk(held)
      held = ''
    }
    const send = (more: object) =>
      say(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-test', ...more })}\n\n`)
    const choice = (delta: object, reason: string | null) => ({ choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] })
    await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
    for (let word = 0; word < Number(words); word++) {
      await send({ ...choice({ content: `word${word} ` }, null), usage: null })
      if (!atOnce) await wait(everyMs)
    }
    await send({ ...choice({}, 'stop'), usage: null })
    await send({ choices: [], usage: { prompt_tokens: 9, completion_tokens: Number(words), total_tokens: 9 + Number(words) } })
    await say('data: [DONE]\n\n')
    if (atOnce) await exchange.chunk(held)
    await exchange.lastChunk()
  }
}

/**
 * Starts a program and an upstream, sends a few requests, and returns the shortest trace of those after the first ones, and the work of an
 * event. `env`: further environment variables.
 */
export async function traceRequest(env: Record<string, string> = {}): Promise<TracedWork> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-trace-'))
  const file = join(folder, 'trace.json')
  const upstream = await scriptedUpstream(wordsOr(chatVendor()))
  const preload = join(import.meta.dir, 'trace-preload.ts')
  try {
    const program = await startProgram({
      fromSource: true,
      config: declared(upstream.url),
      env: { BUN_OPTIONS: `--preload=${preload}`, PARLEY_TRACE_FILE: file, PARLEY_DEMO: 'off', ...env },
    })
    const ask = async (path: string, body: object, isOver: string) => {
      const headers = { 'x-api-key': 'sk-traced-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' }
      const answer = await fetch(`${program.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      const text = await answer.text()
      if (answer.status !== 200 || !text.includes(isOver)) throw new Error(`the traced request failed: ${text}`)
    }
    const messages = (body: object) => ask('/v1/messages', body, 'message_stop')
    const chat = (body: object) => ask('/v1/chat/completions', body, '[DONE]')
    const told = async (path: string) => (await (await fetch(`${program.url}${path}`)).json()) as never
    const look: Look = { counts: () => told('/__counts'), sites: () => told('/__sites') }
    try {
      const traces: RequestTrace[] = []
      for (let sent = 0; sent < warmUps + traced; sent++) {
        await messages(asked)
        if (sent >= warmUps) traces.push(counted(JSON.parse(readFileSync(file, 'utf8'))))
      }
      return {
        trace: {
          ...traces.reduce((least, each) => (each.functions < least.functions ? each : least)),
          awaits: Math.min(...traces.map(({ awaits }) => awaits)),
          objects: Math.min(...traces.map(({ objects }) => objects)),
        },
        converted: await eventWork(messages, look),
        passed: await eventWork(chat, look),
      }
    } finally {
      await program.stop()
    }
  } finally {
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The program's counters so far. */
interface Look {
  counts(): Promise<EventWork>
  sites(): Promise<Record<string, number>>
}

/** The work of an event: the difference between a long and a short answer, per additional event; the minimum of several. */
async function eventWork(ask: (body: object) => Promise<void>, look: Look): Promise<StreamWork> {
  const least: EventWork = { awaits: Number.POSITIVE_INFINITY, objects: Number.POSITIVE_INFINITY, writes: Number.POSITIVE_INFINITY }
  const requests: EventWork[] = []
  const workOf = async (words: number, how = '') => {
    const before = await look.counts()
    await ask(question(`${words} words${how}`))
    const after = await look.counts()
    return { awaits: after.awaits - before.awaits, objects: after.objects - before.objects, writes: after.writes - before.writes }
  }
  for (let round = 0; round < rounds; round++) {
    const [few, many] = [await workOf(short), await workOf(long)]
    for (const what of ['awaits', 'objects', 'writes'] as const)
      least[what] = Math.min(least[what], (many[what] - few[what]) / (long - short))
    requests.push(few)
  }
  // What the program does beside requests, such as sending spans, falls into some of them.
  const whole: EventWork[] = []
  for (let time = 0; time < more; time++) {
    requests.push(await workOf(short))
    whole.push(await workOf(short, ' at once'))
  }
  const leastOf = (works: readonly EventWork[]) => works.reduce((one, other) => (other.objects < one.objects ? other : one))
  const before = await look.sites()
  await ask(question(`${long} words`))
  const sites = Object.entries(await look.sites()).map(([site, times]) => [site, (times - (before[site] ?? 0)) / long] as const)
  const [request, atOnce] = [leastOf(requests), leastOf(whole)]
  return { ...least, request, atOnce, sites: sites.filter(([, times]) => times > 0.2).sort(([, one], [, other]) => other - one) }
}

type Recorded = { entered: string[] } & Pick<RequestTrace, 'parses' | 'awaits' | 'objects'>

function counted({ entered, ...work }: Recorded): RequestTrace {
  const rooms: RequestTrace['rooms'] = []
  const paths = entered.map((name) => name.slice(0, name.lastIndexOf(':')))
  for (const path of paths) {
    const [root = '', folder = '', below] = path.split('/')
    if (root !== 'server') continue
    const room = below === undefined ? 'server' : `server/${folder}`
    const last = rooms.at(-1)
    if (last?.room !== room) rooms.push({ room, files: [path] })
    else if (!last.files.includes(path)) last.files.push(path)
  }
  return {
    files: [...new Set(paths)].sort(),
    functions: new Set(entered).size,
    roomChanges: Math.max(0, rooms.length - 1),
    ...work,
    rooms,
  }
}
