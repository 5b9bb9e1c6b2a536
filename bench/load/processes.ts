/** CPU time and memory of process trees, from /proc, and on which core a process runs. Linux only. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Microseconds per clock tick of /proc: a hundredth of a second on every Linux that Bun runs on. */
const tickMicros = 10_000

/** The core of the load, of the provider and of databases, and the core of what is measured. */
export const cores = availableParallelism() > 1 ? { load: 0, subject: 1 } : { load: 0, subject: 0 }

/** Keeps this process, and all that it starts from now on, on the core of the load. */
export function stayOnLoadCore(): void {
  spawnSync('taskset', ['-a', '-p', '-c', String(cores.load), String(process.pid)])
}

/** A process and everything that it started, ended processes excepted. */
export function treeOf(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? Number(statOf(`${name}/stat`)?.[1]) : Number.NaN
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

/** User and system time of a process tree, in microseconds. */
export const cpuOfTree = (root: number): number => treeOf(root).reduce((sum, pid) => sum + micros(`${pid}/stat`), 0)

/** The same of the first thread of a process only: where Bun runs the program's JavaScript. */
export const cpuOfMainThread = (pid: number): number => micros(`${pid}/task/${pid}/stat`)

/** Resident memory of a process tree, in megabytes. */
export function memoryOfTree(root: number): number {
  const kilobytes = treeOf(root).map((pid) => Number(/VmRSS:\s+(\d+)/.exec(read(`${pid}/status`))?.[1] ?? 0))
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}

/** Resolves once a process tree is idle, so that what it does after its last answer is counted, too; at most after ten seconds. */
export async function idle(root: number): Promise<void> {
  const until = performance.now() + 10_000
  for (let before = Number.NaN, now = cpuOfTree(root); now - before >= tickMicros || Number.isNaN(before); ) {
    if (performance.now() > until) return
    await Bun.sleep(200)
    ;[before, now] = [now, cpuOfTree(root)]
  }
}

/** The process with these words in a row in its command line. */
export function processNamed(...words: string[]): number | undefined {
  const wanted = words.join('\0')
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && read(`${name}/cmdline`).includes(wanted))
  return pid === undefined ? undefined : Number(pid)
}

function micros(path: string): number {
  const fields = statOf(path) ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMicros
}

/** The fields after the name, which may itself contain spaces. Undefined for a process that has ended. */
function statOf(path: string): string[] | undefined {
  const text = read(path)
  return text === '' ? undefined : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function read(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}
