/**
 * The sockets of a process as the kernel lists them: what it still holds, whether it knows of it or not. One that its peer has
 * left stands there as CLOSE_WAIT, one that was reset as `dead`, until the process lets go of it. Linux only.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface OpenSocket {
  /** `dead` = in no table of the kernel's any more, or not yet. */
  kind: 'tcp' | 'udp' | 'unix' | 'netlink' | 'dead'
  /** Of TCP, by the kernel's names. */
  state?: string
  localPort?: number
  remotePort?: number
}

/** Numbered from 1, as in `net/tcp_states.h`. */
const states = 'ESTABLISHED SYN_SENT SYN_RECV FIN_WAIT1 FIN_WAIT2 TIME_WAIT CLOSE CLOSE_WAIT LAST_ACK LISTEN CLOSING'.split(' ')

/** By the file: what is in it, and the column of its inodes. */
const tables = {
  tcp: ['tcp', 9],
  tcp6: ['tcp', 9],
  udp: ['udp', 9],
  udp6: ['udp', 9],
  unix: ['unix', 6],
  netlink: ['netlink', 9],
} as const

/** In no order. Throws when there is no such process. */
export function openSockets(pid: number): OpenSocket[] {
  const inodes = inodesOf(pid)
  const listed = new Map(Object.keys(tables).flatMap((file) => listedIn(pid, file as keyof typeof tables)))
  return inodes.map((inode) => listed.get(inode) ?? { kind: 'dead' })
}

function inodesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap((descriptor) => /^socket:\[(\d+)\]$/.exec(targetOf(`${folder}/${descriptor}`))?.[1] ?? [])
}

/** What was closed since it was listed is nothing. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}

function listedIn(pid: number, file: keyof typeof tables): [inode: string, socket: OpenSocket][] {
  const [kind, column] = tables[file]
  const lines = readFileSync(`/proc/${pid}/net/${file}`, 'utf8').trim().split('\n').slice(1)
  return lines.map((line) => {
    const fields = line.trim().split(/\s+/)
    const [, local = '', remote = '', state = ''] = fields
    const named = { state: states[Number.parseInt(state, 16) - 1] ?? state, localPort: portOf(local), remotePort: portOf(remote) }
    return [fields[column] ?? '', kind === 'tcp' ? { kind, ...named } : { kind }]
  })
}

/** `0100007F:1F90`: the port is the only part that reads from left to right. */
const portOf = (address: string): number => Number.parseInt(address.split(':')[1] ?? '', 16)

/** What is neither the port of this address with its clients, nor a way to the process that started this one. */
export function strays(pid: number, url: string): OpenSocket[] {
  const own = Number(new URL(url).port)
  return openSockets(pid).filter(({ kind, localPort }) => kind !== 'unix' && localPort !== own)
}
