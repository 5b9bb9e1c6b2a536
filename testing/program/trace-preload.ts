/**
 * Loaded into a program before its own files: records which functions a request enters from its arrival until the first call of an
 * upstream, and how often JSON is parsed. Every function of `server/` and `shared/` gets a recording call at its beginning when its file is
 * loaded. Timers and jobs do not count, because they run outside any request's context. The trace of the last request is written to the
 * file that PARLEY_TRACE_FILE names.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { plugin } from 'bun'
import { parseSync } from 'vite'

const root = join(import.meta.dir, '../..')

/** What one request entered, in order, and what it parsed. */
interface Recording {
  entered: number[]
  parses: number
  over: boolean
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>

const requests = new AsyncLocalStorage<Recording>()
/** Each function as `path:offset`, by its number. */
const names: string[] = []

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value
}

function functionsIn(node: Node, found: Node[]): Node[] {
  if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) && isNode(node.body)) found.push(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) functionsIn(child, found)
  }
  return found
}

/** The source text with a recording call at the beginning of every function. */
function instrumented(path: string, text: string): string {
  const edits: [at: number, what: string][] = []
  for (const { type, body, start } of functionsIn(parseSync(path, text).program as unknown as Node, [])) {
    const { start: from, end } = body as Node
    const call = `globalThis.__entered?.(${names.push(`${path}:${start}`) - 1})`
    if (type === 'ArrowFunctionExpression' && (body as Node).type !== 'BlockStatement') edits.push([from, `(${call}, `], [end, ')'])
    else edits.push([from + 1, `${call};`])
  }
  edits.sort(([a], [b]) => b - a)
  return edits.reduce((changed, [at, what]) => changed.slice(0, at) + what + changed.slice(at), text)
}

/** The client that calls upstreams. */
const client = 'server/runtime/http1-client/http-client.ts:'

function entered(id: number): void {
  const recording = requests.getStore()
  if (recording === undefined || recording.over) return
  if (names[id]?.startsWith(client)) isOver(recording)
  else recording.entered.push(id)
}

function isOver(recording: Recording): void {
  if (recording.over) return
  recording.over = true
  const { entered: ids, parses } = recording
  writeFileSync(process.env.PARLEY_TRACE_FILE ?? '', JSON.stringify({ entered: ids.map((id) => names[id]), parses }))
}

const { parse } = JSON
JSON.parse = (...given) => {
  const recording = requests.getStore()
  if (recording && !recording.over) recording.parses += 1
  return parse(...given)
}

Object.assign(globalThis, { __entered: entered })

const { serve } = Bun
/** Every request has its own async context from the moment the program receives it. */
Bun.serve = ((options: { fetch(this: unknown, ...given: unknown[]): unknown }) => {
  const handler = options.fetch
  const recorded = function (this: unknown, ...given: unknown[]) {
    return requests.run({ entered: [], parses: 0, over: false }, () => handler.apply(this, given))
  }
  return serve({ ...options, fetch: recorded } as never)
}) as typeof Bun.serve

plugin({
  name: 'trace',
  setup(build) {
    build.onLoad({ filter: /\/(server|shared)\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const name = relative(root, path)
      return { contents: name.includes('testing/') ? text : instrumented(name, text), loader: 'ts' }
    })
  },
})
