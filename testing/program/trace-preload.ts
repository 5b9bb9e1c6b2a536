/**
 * Loaded into a program before its own files: records which functions a request enters from its arrival until the first call of an
 * upstream, how often JSON is parsed, what is awaited and which objects are created. Every function of `server/` and `shared/` gets a
 * recording call at its beginning when its file is loaded. Timers and jobs do not count, because they run outside any request's context.
 * The trace of the last request is written to the file that PARLEY_TRACE_FILE names. `GET /__counts` returns all counts since the start, in
 * and outside of requests, and `GET /__sites` their places.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { plugin } from 'bun'
import { type Counted, instrumented } from './instrument.ts'

const root = join(import.meta.dir, '../..')

/** What one request entered, in order, and what it did. */
interface Recording extends Record<Counted, number> {
  entered: number[]
  parses: number
  over: boolean
}

const requests = new AsyncLocalStorage<Recording>()
/** Each function as `path:offset`, by its number. */
const names: string[] = []
/** Since the start; `writes` are pieces passed to an outgoing stream. */
const counts = { awaits: 0, objects: 0, writes: 0 }

/** The client that calls upstreams. */
const client = 'server/runtime/http1-client/http-client.ts:'

function entered(id: number): void {
  const recording = requests.getStore()
  if (recording === undefined || recording.over) return
  if (names[id]?.startsWith(client)) isOver(recording)
  else recording.entered.push(id)
}

/** How often each place awaited or allocated, by `path:line what`. */
const sites: Record<string, number> = {}

function counted(what: Counted, place: string): void {
  counts[what] += 1
  const site = `${place} ${what}`
  sites[site] = (sites[site] ?? 0) + 1
  const recording = requests.getStore()
  if (recording && !recording.over) recording[what] += 1
}

function isOver(recording: Recording): void {
  if (recording.over) return
  recording.over = true
  const { entered: ids, parses, awaits, objects } = recording
  writeFileSync(process.env.PARLEY_TRACE_FILE ?? '', JSON.stringify({ entered: ids.map((id) => names[id]), parses, awaits, objects }))
}

const { parse } = JSON
JSON.parse = (...given) => {
  const recording = requests.getStore()
  if (recording && !recording.over) recording.parses += 1
  return parse(...given)
}

const { enqueue } = ReadableStreamDefaultController.prototype
ReadableStreamDefaultController.prototype.enqueue = function (...given) {
  counts.writes += 1
  return enqueue.apply(this, given)
}

Object.assign(globalThis, { __entered: entered, __counted: counted })

const { serve } = Bun
/** Every request has its own async context from the moment the program receives it. */
Bun.serve = ((options: { fetch(this: unknown, request: Request, ...given: unknown[]): unknown }) => {
  const handler = options.fetch
  const recorded = function (this: unknown, request: Request, ...given: unknown[]) {
    if (request.url.endsWith('/__counts')) return Response.json(counts)
    if (request.url.endsWith('/__sites')) return Response.json(sites)
    const recording: Recording = { entered: [], parses: 0, awaits: 0, objects: 0, over: false }
    return requests.run(recording, () => handler.call(this, request, ...given))
  }
  return serve({ ...options, fetch: recorded } as never)
}) as typeof Bun.serve

plugin({
  name: 'trace',
  setup(build) {
    build.onLoad({ filter: /\/(server|shared)\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const name = relative(root, path)
      return { contents: name.includes('testing/') ? text : instrumented(name, text, names), loader: 'ts' }
    })
  },
})
