/** Reads a CPU profile and attributes its samples to the rooms and functions of the source. */

/** A profile as Bun's `--cpu-prof` writes it: the format of Chrome's developer tools. */
export interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[]
  /** The node that ran at each sample. */
  samples: number[]
  /** Microseconds since the sample before. */
  timeDeltas: number[]
  /** Microseconds since 1970. */
  startTime: number
}

interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
}

/** Samples by name, most first. */
export type Shares = [name: string, samples: number][]

/** The result of reading a profile. */
export interface Booked {
  /** Samples in all. */
  samples: number
  rooms: Shares
  functions: Shares
}

/**
 * Attributes each sample between two times (microseconds since 1970) to the function that ran. Native code (JSON, fetch, crypto) counts for
 * the room that called it, and is listed among the functions under its own name and that of its caller. Samples are counted, whatever the
 * time between them: nothing is sampled while the process waits, and that time would be attributed to whatever runs next.
 */
export function bookSamples({ nodes, samples, timeDeltas, startTime }: CpuProfile, root: string, from: number, until: number): Booked {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const rooms = new Map<string, number>()
  const functions = new Map<string, number>()
  let counted = 0
  let time = startTime
  samples.forEach((node, at) => {
    time += timeDeltas[at] ?? 0
    if (time < from || time > until) return
    const own = frames.get(node)
    const caller = callerInSource(node, frames, parents)
    const file = caller === undefined ? '' : placeOf(caller.url, root)
    const where = caller === undefined ? 'the runtime' : `${caller.functionName || '(anonymous)'} ${file}:${caller.lineNumber + 1}`
    const native = own !== undefined && own !== caller ? `${own.functionName || '(native)'} < ` : ''
    add(rooms, caller === undefined ? 'the runtime' : roomOf(file))
    add(functions, native + where)
    counted += 1
  })
  return { samples: counted, rooms: sorted(rooms), functions: sorted(functions) }
}

/** The innermost frame that has a file: the node's own, or that of a caller. */
function callerInSource(node: number, frames: ReadonlyMap<number, CallFrame>, parents: ReadonlyMap<number, number>): CallFrame | undefined {
  for (let at: number | undefined = node; at !== undefined; at = parents.get(at)) {
    const frame = frames.get(at)
    if (frame !== undefined && /^(file:|\/)/.test(frame.url)) return frame
  }
  return undefined
}

/** The path of a file from the root of the project. */
const placeOf = (url: string, root: string) => url.replace(/^file:\/\//, '').replace(`${root}/`, '')

/** The room of a file: its folder, for packages their name. */
export function roomOf(file: string): string {
  const packaged = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]
  if (packaged !== undefined) return `package ${packaged}`
  return file.split('/').slice(0, -1).slice(0, 3).join('/') || file
}

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
const sorted = (counts: ReadonlyMap<string, number>): Shares => [...counts].sort(([, a], [, b]) => b - a)
