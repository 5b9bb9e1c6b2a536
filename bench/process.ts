/** CPU time and memory of a process, from /proc. Linux only. */
import { readFileSync } from 'node:fs'

/** Microseconds per clock tick of /proc: a hundredth of a second on every Linux that Bun runs on. */
export const tickMicros = 10_000

/** User and system time of a process, all threads included, in ticks. */
export function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

/** Resident memory in megabytes. */
export const residentMb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
