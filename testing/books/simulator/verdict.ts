/** What the simulated clients know, and whether the books agree with it in the end. */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import { chargesIn, wrongBooks } from '#testing/books/invariants'
import type { Cluster } from './cluster.ts'
import type { Process } from './simulated-process.ts'

/** What the simulated clients know of their requests. */
export interface ClientRecord {
  /** The cost of complete answers, by request. */
  done: Map<string, bigint>
  /** The minimum owed for what was delivered, complete or not, by request. */
  begun: Map<string, bigint>
  refused: Set<string>
  /** The sums of open holds, by process and account. */
  held: Map<Process, Map<string, bigint>>
  /** When (simulated milliseconds) the database lost commits, if it did: then more than what was written off may be missing. */
  lostAt: number | undefined
  /** Nano-dollars on lease of instances that were written off. */
  writtenOff: bigint
  /** Holds that were granted although the leases could not be spent any more, or the database was known to lack commits. */
  unlawful: string[]
  /** Where and when (simulated milliseconds) the last hold of each request was granted. */
  granted: Map<string, { site: string; at: number }>
  /** When the leases of a site were written off; and when a site learned that commits were lost, or its process ended after the loss. */
  bereft: { site: string; at: number }[]
}

/** An empty record. */
export const newClientRecord = (): ClientRecord => ({
  done: new Map(),
  begun: new Map(),
  refused: new Set(),
  held: new Map(),
  lostAt: undefined,
  writtenOff: 0n,
  unlawful: [],
  granted: new Map(),
  bereft: [],
})

const onLease = sql`
  select i.folder as name, l.account_id as account, sum(l.amount)::text as amount
  from leases l join instances i on i.id = l.instance group by 1, 2`

/** Open holds that their instance's lease does not cover: another instance could spend the same money. */
export async function uncovered({ db }: Store, { sites }: Cluster, { held }: ClientRecord): Promise<string[]> {
  const rows = returned<{ name: string; account: string; amount: string }>(await db.execute(onLease))
  const leased = new Map(rows.map(({ name, account, amount }) => [`${name} ${account}`, BigInt(amount)]))
  return sites.flatMap(({ name, process }) => {
    const mine = [...((process && held.get(process)) ?? [])].filter(
      ([account, amount]) => amount > (leased.get(`${name} ${account}`) ?? 0n),
    )
    return mine.map(([account, amount]) => `not on lease: ${name} holds ${amount} of ${account}`)
  })
}

/** The final check of the books. */
export interface Verdict {
  faults: string[]
  /** Nano-dollars that were owed but not charged. */
  overrun: bigint
}

/** Checks the books after every process has closed them. `posted`: the total paid in, by wallet. */
export async function judgeBooks(store: Store, record: ClientRecord, posted: ReadonlyMap<string, bigint>): Promise<Verdict> {
  const faults = (await wrongBooks(store)).map((wrong) => `at the end: ${JSON.stringify(wrong)}`)
  faults.push(...record.unlawful)
  const charged = await chargesIn(store)
  let overrun = 0n
  for (const [id, begun] of record.begun) {
    const [found, cost] = [charged.get(id), record.done.get(id) ?? begun]
    if (found === undefined) faults.push(`lost: ${id} was delivered and is not in the books`)
    else if (found < cost) {
      overrun += cost - found
      const granted = record.granted.get(id)
      if (!record.bereft.some(({ site, at }) => site === granted?.site && granted.at <= at))
        faults.push(
          `granted too late: ${id} was granted when nothing of its instance had been taken away, and ${cost - found} could not be charged`,
        )
    } else if (record.done.has(id) && found > cost) faults.push(`too much: ${id} cost ${cost} and was charged ${found}`)
  }
  for (const id of record.refused) if ((charged.get(id) ?? 0n) !== 0n) faults.push(`too much: ${id} was refused and charged`)
  if (overrun > record.writtenOff && record.lostAt === undefined)
    faults.push(`overspent: ${overrun} could not be charged, but only ${record.writtenOff} were written off`)
  return { faults: [...faults, ...(await left(store, posted))], overrun }
}

const rest = sql`
  select a.id, a.free::text as free,
    (select coalesce(sum(l.amount), 0)::text from leases l where l.account_id = a.id) as leased,
    (select coalesce(sum(charged), 0)::text from logs where user_id = a.id) as charged
  from accounts a where a.kind = 'wallet'`

/** Everything paid in is either free or charged, and nothing is on lease. */
async function left({ db }: Store, posted: ReadonlyMap<string, bigint>): Promise<string[]> {
  const rows = returned<{ id: string; free: string; leased: string; charged: string }>(await db.execute(rest))
  return rows.flatMap(({ id, free, leased, charged }) => [
    ...(leased === '0' ? [] : [`left over: ${leased} of ${id} are on lease`]),
    ...(BigInt(free) + BigInt(leased) + BigInt(charged) === posted.get(id)
      ? []
      : [`unequal: ${id} has ${free} free and ${charged} charged of ${posted.get(id)}`]),
  ])
}
