/**
 * Traces the functions that a request enters on its way to the upstream: a warm streamed Messages request, converted for an upstream that
 * speaks Chat, in a program that records every function it enters (`trace-preload.ts`). Of several the one that enters least counts: on a
 * busy machine another may come just when a lease is refilled or a cache is read again.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { startProgram } from './program.ts'

/** The trace from the arrival of a request to the call of its upstream. */
export interface RequestTrace {
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

const body = {
  model: 'gpt-test',
  max_tokens: 200,
  stream: true,
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'What is the tallest mountain?' }],
}

/** Requests before the traced ones, until nothing is loaded for the first time any more. */
const warmUps = 3
const traced = 6

/** Starts a program and an upstream, sends a few requests, and answers the shortest trace of those after the first ones. */
export async function traceRequest(): Promise<RequestTrace> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-trace-'))
  const file = join(folder, 'trace.json')
  const upstream = await scriptedUpstream(chatVendor())
  const preload = join(import.meta.dir, 'trace-preload.ts')
  try {
    const program = await startProgram({
      fromSource: true,
      config: declared(upstream.url),
      env: { BUN_OPTIONS: `--preload=${preload}`, PARLEY_TRACE_FILE: file, PARLEY_DEMO: 'off' },
    })
    try {
      const traces: RequestTrace[] = []
      for (let sent = 0; sent < warmUps + traced; sent++) {
        const headers = { 'x-api-key': 'sk-traced-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' }
        const answer = await fetch(`${program.url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) })
        const text = await answer.text()
        if (answer.status !== 200 || !text.includes('message_stop')) throw new Error(`the traced request failed: ${text}`)
        if (sent >= warmUps) traces.push(counted(JSON.parse(readFileSync(file, 'utf8'))))
      }
      return traces.reduce((least, each) => (each.functions < least.functions ? each : least))
    } finally {
      await program.stop()
    }
  } finally {
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function counted({ entered, parses }: { entered: string[]; parses: number }): RequestTrace {
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
    parses,
    rooms,
  }
}
