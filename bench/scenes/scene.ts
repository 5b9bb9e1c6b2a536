/** The parts of a scene of the bench: a load on one running subject, the resulting figures, and the columns that show them. */
import { bodyFile } from '../load/bodies.ts'
import { type ClientOptions, type Load, type Pace, type Provider, runClient } from '../load/load.ts'
import { cpuOfMainThread, cpuOfTree, idle } from '../load/processes.ts'
import { chat, type Route, type Running } from '../subjects/subject.ts'

/** The figures of one subject, by the key of their column; NaN where there is none. */
export type Figures = Record<string, number>

/** One column of a scene's table. */
export interface Column {
  key: string
  title: string
  digits: number
  /** Another column beside it: how many times nginx's figure, or by how much more than nginx. */
  beside?: 'times' | 'more'
  /** Of several rounds the least counts, not the median: other work on the machine can only add to CPU time. */
  least?: boolean
}

/** One kind of load. */
export interface Scene {
  title: string
  /** A description in a sentence or two below the title. */
  remark: string
  columns: readonly Column[]
  /** How often it is measured, the subjects taking turns. */
  rounds: number
  /** Whether the provider asked directly is measured, too: what the load generator can do. */
  direct?: boolean
  /** Whether nginx is left out, which the load generator cannot overload. */
  withoutNginx?: boolean
  /** Whether each subject is started anew for it. */
  fresh?: boolean
  /** Undefined if the subject cannot take part. */
  measure(stage: Stage, running: Running): Promise<Figures | undefined>
}

/** The environment of a scene. */
export interface Stage {
  provider: Provider
  /** Where request bodies are written. */
  folder: string
  /** Shorter runs, for trying the bench itself. */
  quick: boolean
}

/** The request and how often it is sent. */
export interface Demand extends Pick<ClientOptions, 'connections' | 'seconds' | 'warm' | 'rate' | 'ramp' | 'once' | 'word'> {
  route?: Route
  stream?: boolean
  /** Characters of the prompt; 300 if not given. */
  characters?: number
  pace?: Partial<Pace>
}

/** Loads a subject and resolves with what the client saw. Undefined for a route that it does not have. */
export async function load({ provider, folder }: Stage, running: Running, demand: Demand): Promise<Load | undefined> {
  const { route = chat, stream = false, characters = 300, pace = {}, ...options } = demand
  const asked = running.ask(route)
  if (asked === undefined) return undefined
  await provider.set(pace)
  const { path, model, headers } = asked
  const body = bodyFile(folder, { dialect: route.client, model, stream, characters })
  const version = route.client === 'messages' ? ['anthropic-version: 2023-06-01'] : []
  const events = stream ? (pace.events ?? 200) : 1
  return runClient({ ...options, port: running.port, path, headers: [...headers, ...version], body, events })
}

/** The same before something is measured: throws if nothing works, so that no figures of refusals are printed. */
export async function warmUp(stage: Stage, running: Running, demand: Demand): Promise<void> {
  const seen = await load(stage, running, demand)
  if (seen && seen.ok === 0 && faults(seen) > 0) throw new Error(`every request failed: ${JSON.stringify(seen)}`)
}

/** What a piece of work cost, in microseconds of CPU, and how many requests the provider got meanwhile. */
export interface Cost {
  cpu: number
  /** The main thread's part of it. */
  main: number
  /** The database's own processes; NaN without any. */
  database: number
  requests: number
  events: number
}

/** Starts counting; call the result at the end. */
export async function counting(
  { provider }: Stage,
  { pid, databasePid, mainThreadMatters = false }: Running,
): Promise<() => Promise<Cost>> {
  const read = async (): Promise<Cost> => ({
    cpu: cpuOfTree(pid),
    main: mainThreadMatters ? cpuOfMainThread(pid) : Number.NaN,
    database: databasePid === undefined ? Number.NaN : cpuOfTree(databasePid),
    ...(await provider.counts()),
  })
  const before = await read()
  return async () => {
    const after = await read()
    const grown = (key: keyof Cost) => after[key] - before[key]
    return { cpu: grown('cpu'), main: grown('main'), database: grown('database'), requests: grown('requests'), events: grown('events') }
  }
}

/** Loads a subject and waits until it is idle again: its work after the last answer is part of the cost. */
export async function loadAndCount(stage: Stage, running: Running, demand: Demand): Promise<(Load & { cost: Cost }) | undefined> {
  const stop = await counting(stage, running)
  const seen = await load(stage, running, demand)
  if (seen === undefined) return undefined
  await idle(running.pid)
  return { ...seen, cost: await stop() }
}

/** Requests that did not get a complete answer with status 200. */
export function faults({ broken, failed, statuses }: Load): number {
  const others = Object.entries(statuses).filter(([status]) => status !== '200')
  return broken + failed + others.reduce((sum, [, count]) => sum + count, 0)
}
