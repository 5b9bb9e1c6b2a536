/** A subject of the bench: a program between the load client and the provider. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bodyText, type Dialect } from '../load/bodies.ts'
import { cores, treeOf } from '../load/processes.ts'

/** The dialects of the client and of the provider. */
export interface Route {
  client: Dialect
  upstream: Dialect
}

/** Chat on both sides. */
export const chat: Route = { client: 'chat', upstream: 'chat' }

/** How to send a request of a route to a subject. */
export interface Asked {
  path: string
  model: string
  /** Lines `name: value`. */
  headers: readonly string[]
}

/** Something that can be measured if it is installed. */
export interface Subject {
  name: string
  /** Undefined if it can run here, otherwise how to install it. */
  missing(): string | undefined
  /** Starts it in front of the provider on this port, and resolves when it has answered a request. */
  start(providerPort: number): Promise<Running>
  /** Milliseconds from the command to the first answer. */
  timeStart(providerPort: number): Promise<number>
}

/** A running subject. */
export interface Running {
  port: number
  /** The process whose tree is measured. */
  pid: number
  /** The process tree of its database, if it has a separate one. */
  databasePid?: number
  /** Whether one thread serves all requests, so that its share of the CPU time limits the throughput. */
  mainThreadMatters?: boolean
  /** Undefined for a route that it does not have. */
  ask(route: Route): Asked | undefined
  stop(): Promise<void>
}

/** The path of the provider's own API, which most subjects have, too. */
export const pathOf = (dialect: Dialect): string => (dialect === 'chat' ? '/v1/chat/completions' : '/v1/messages')

/** The provider itself, measured as if it were a subject: the ceiling of the load generator. */
export const direct = (provider: { port: number; pid: number }): Running => ({
  ...provider,
  ask: ({ client }) => ({ path: pathOf(client), model: 'bench', headers: [] }),
  stop: async () => {},
})

/** A program that is started with one command. */
export interface Command {
  name: string
  missing(): string | undefined
  ask(route: Route, providerPort: number): Asked | undefined
  /** Writes its files into the folder and returns the command that starts it on `port`. */
  command(place: { folder: string; port: number; providerPort: number }): { words: string[]; env?: Record<string, string> }
}

/** A subject of such a program. */
export function subjectOf(program: Command): Subject {
  const start = (providerPort: number) => launch(program, providerPort)
  return {
    name: program.name,
    missing: program.missing,
    start,
    async timeStart(providerPort) {
      const begun = performance.now()
      const running = await start(providerPort)
      const took = performance.now() - begun
      await running.stop()
      return took
    },
  }
}

async function launch({ name, command, ask }: Command, providerPort: number): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const port = await freePort()
  const { words, env = {} } = command({ folder, port, providerPort })
  const log = Bun.file(join(folder, 'log'))
  const child = Bun.spawn(['sh', '-c', onSubjectCore, 'sh', ...words], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdout: log,
    stderr: log,
  })
  const running = {
    port,
    pid: child.pid,
    ask: (route: Route) => ask(route, providerPort),
    async stop() {
      for (const pid of treeOf(child.pid)) signal(pid, 'SIGTERM')
      if ((await Promise.race([child.exited, Bun.sleep(3000).then(() => 'late')])) === 'late')
        for (const pid of treeOf(child.pid)) signal(pid, 'SIGKILL')
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
  const asked = ask(chat, providerPort)
  if (asked === undefined || !(await firstAnswer(port, asked, () => child.exitCode !== null))) {
    const said = (await log.text()).slice(-2000)
    await running.stop()
    throw new Error(`${name} did not start:\n${said}`)
  }
  return running
}

/** Shell code that runs its arguments on the core of what is measured, with as many open files as allowed. */
export const onSubjectCore = `ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -H -n)"; exec taskset -c ${cores.subject} "$@"`

/** Sends requests until an answer has status 200. False if `ended` or after 90 seconds. */
export async function firstAnswer(port: number, { path, model, headers }: Asked, ended: () => boolean): Promise<boolean> {
  const until = performance.now() + 90_000
  const lines = headers.map((line) => line.split(': ') as [string, string])
  const dialect = path.endsWith('/messages') ? 'messages' : 'chat'
  const body = bodyText({ dialect, model, stream: false, characters: 300 })
  while (performance.now() < until && !ended()) {
    const options = {
      method: 'POST',
      headers: [['content-type', 'application/json'], ...lines] as [string, string][],
      body,
      keepalive: false,
    }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, options).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return true
    await Bun.sleep(5)
  }
  return false
}

/** A free port on 127.0.0.1. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}
