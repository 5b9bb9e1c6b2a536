/** What the operating system says of a process. Linux only, like the machines that these figures are about. */
import { readFileSync } from 'node:fs'

/** Clock ticks of /proc are hundredths of a second on every Linux that Bun runs on. */
export const tickMicros = 10_000

/** User and system time of a process with all its threads, in ticks. */
export function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

/** Megabytes that are resident. */
export const residentMb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
