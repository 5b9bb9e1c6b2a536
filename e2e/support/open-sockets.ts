/**
 * The sockets of a process as listed by the kernel, whether the program still knows of them or not. One closed by its peer is listed as
 * CLOSE_WAIT, one that was reset as `dead`, until the process closes it. Linux only.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** One open socket. */
export interface OpenSocket {
  /** `dead` = no longer, or not yet, in any of the kernel's tables. */
  kind: 'tcp' | 'udp' | 'unix' | 'netlink' | 'dead'
  /** For TCP, the kernel's name. */
  state?: string
  localPort?: number
  remotePort?: number
}

/** Numbered from 1, as in `net/tcp_states.h`. */
const states = 'ESTABLISHED SYN_SENT SYN_RECV FIN_WAIT1 FIN_WAIT2 TIME_WAIT CLOSE CLOSE_WAIT LAST_ACK LISTEN CLOSING'.split(' ')

/** By file: the kind of its sockets, and the column of their inodes. */
const tables = {
  tcp: ['tcp', 9],
  tcp6: ['tcp', 9],
  udp: ['udp', 9],
  udp6: ['udp', 9],
  unix: ['unix', 6],
  netlink: ['netlink', 9],
} as const

/** The open sockets in no particular order. Throws if there is no such process. */
export function openSockets(pid: number): OpenSocket[] {
  const inodes = inodesOf(pid)
  const listed = new Map(Object.keys(tables).flatMap((file) => listedIn(pid, file as keyof typeof tables)))
  return inodes.map((inode) => listed.get(inode) ?? { kind: 'dead' })
}

function inodesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap((descriptor) => /^socket:\[(\d+)\]$/.exec(targetOf(`${folder}/${descriptor}`))?.[1] ?? [])
}

/** Empty if it was closed since it was listed. */
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

/** `0100007F:1F90`: only the port is in big-endian order. */
const portOf = (address: string): number => Number.parseInt(address.split(':')[1] ?? '', 16)

/** Sockets that are neither the listener at this address and its clients, nor connections to the process that started this one. */
export function strays(pid: number, url: string): OpenSocket[] {
  const own = Number(new URL(url).port)
  return openSockets(pid).filter(({ kind, localPort }) => kind !== 'unix' && localPort !== own)
}
