/** The load generator: a provider and a client in C, compiled when first needed. They must cost less than the fastest subject, nginx. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const built = join(import.meta.dir, '../../dist/bench')

/** What the client saw. Durations are microseconds. */
export interface Load {
  /** Complete answers with status 200 and every event. */
  ok: number
  /** Answers with status 200 that lack events. */
  broken: number
  /** Connections that failed or ended before the answer was complete. */
  failed: number
  /** Requests without an answer at the end, a minute after the last one with `rate` or `once`. */
  unanswered: number
  /** Requests that were due while all connections were busy. */
  unsent: number
  /** Refusals that contained `word`. */
  named: number
  /** Seconds recorded. */
  seconds: number
  /** CPU time of the client. */
  cpu: number
  /** From when a request was due to the end of an answer with status 200. */
  latency: Durations
  /** The same for answers with any other status. */
  refused: Durations
  /** To the first event. */
  first: Durations
  /** From when the provider sent an event to when the client received it. */
  late: Durations
  statuses: Record<string, number>
}

/** A summary of durations in microseconds. */
export interface Durations {
  count: number
  p50: number
  p99: number
  longest: number
}

/** How the client asks; bench/load/client.c explains the options. */
export interface ClientOptions {
  port: number
  path: string
  /** The file with the request's body. */
  body: string
  headers: readonly string[]
  connections: number
  seconds: number
  warm?: number
  rate?: number
  ramp?: number
  once?: boolean
  /** Stamped events of a complete answer: 1 in a whole one. */
  events: number
  /** What to look for in refusals. */
  word?: string
}

/** Runs the client to its end. */
export async function runClient(options: ClientOptions): Promise<Load> {
  const { headers, once, ...values } = options
  const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]))
  const added = headers.flatMap((header) => ['--header', header])
  const child = Bun.spawn([compiled('client'), ...given, ...added, ...(once ? ['--once'] : [])], { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the load client failed')
  return JSON.parse(text)
}

/** What the provider has counted since its start. */
export interface Counts {
  requests: number
  /** Requests being answered. */
  active: number
  events: number
}

/** How the provider answers. */
export interface Pace {
  /** Events of a stream. */
  events: number
  /** Milliseconds between events; 0: as fast as they are taken. */
  pace: number
  /** Milliseconds before an answer begins. */
  wait: number
}

/** A running provider. */
export interface Provider {
  port: number
  pid: number
  /** Changes how it answers from now on; the default is 200 events without pause. */
  set(pace: Partial<Pace>): Promise<void>
  counts(): Promise<Counts>
  end(): void
}

/** Starts the provider on a free port. */
export async function startProvider(): Promise<Provider> {
  const child = Bun.spawn([compiled('provider')], { stdout: 'pipe', stderr: 'inherit' })
  const { value } = await child.stdout.getReader().read()
  const port = Number(new TextDecoder().decode(value))
  const control = async (query: string): Promise<Counts> => (await fetch(`http://127.0.0.1:${port}/control?${query}`)).json()
  return {
    port,
    pid: child.pid,
    async set({ events = 200, pace = 0, wait = 0 }) {
      await control(`events=${events}&pace=${pace}&wait=${wait}`)
    },
    counts: () => control(''),
    end: () => child.kill(),
  }
}

/** The path of a program of this folder, compiled if its sources are newer. */
function compiled(name: 'client' | 'provider'): string {
  const program = join(built, name)
  const sources = readdirSync(import.meta.dir).filter((file) => /\.[ch]$/.test(file))
  const changed = Math.max(...sources.map((file) => statSync(join(import.meta.dir, file)).mtimeMs))
  if (existsSync(program) && statSync(program).mtimeMs > changed) return program
  mkdirSync(built, { recursive: true })
  const { status, stderr, error } = spawnSync('cc', ['-std=c11', '-O2', '-Wall', '-o', program, join(import.meta.dir, `${name}.c`)])
  if (error) throw new Error('The load generator needs a C compiler, cc. On Debian: apt install gcc libc6-dev')
  if (status !== 0) throw new Error(`cc failed:\n${stderr}`)
  return program
}
