/** CPU time of this process and of a PostgreSQL server on this machine, from /proc. */
import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'

/** The CPU times so far, in microseconds. `server`: the process id of the database server. */
export function cpuNow(server: number | undefined): Record<'main' | 'others' | 'database', number> {
  const main = ranFor(`/proc/self/task/${process.pid}`)
  const all = sum(readdirSync('/proc/self/task').map((thread) => ranFor(`/proc/self/task/${thread}`)))
  const database = server === undefined ? 0 : endedChildrenOf(server) + sum(childrenOf(server).map((pid) => ranFor(`/proc/${pid}`)))
  return { main, others: all - main, database }
}

const sum = (all: readonly number[]) => all.reduce((some, one) => some + one, 0)

/** How long a process's first thread, or a thread, has run, in microseconds; 0 when it is gone. */
function ranFor(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1_000
  } catch {
    return 0
  }
}

/** The processes of a server that are running. */
function childrenOf(parent: number): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && Number(fieldsOf(name)[1]) === parent
    } catch {
      return false
    }
  })
}

/** Microseconds per clock tick of /proc. */
const tickMicros = 10_000

/** The time of a server's processes that have ended, in microseconds. */
const endedChildrenOf = (server: number): number => {
  const fields = fieldsOf(`${server}`)
  return (Number(fields[13]) + Number(fields[14])) * tickMicros
}

/** The fields after the name in a process's line of /proc. */
const fieldsOf = (pid: string): string[] => (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ')

/** The process id of the PostgreSQL server behind this store. */
export async function serverOf(store: Store): Promise<number> {
  const [row] = returned<{ pid: number }>(await store.db.execute(sql`select pg_backend_pid() as pid`))
  return Number(fieldsOf(`${row?.pid}`)[1])
}
