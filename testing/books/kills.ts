/** Kills processes that keep books, and determines from their output, files and tables in which state each kill hit them. */
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { readLines } from '#billing/journal/journal-line'
import { systemClock as clock } from '#runtime/clock'
import { namesIn, readSegments } from '#runtime/segment'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'

/** What the clients of all killed processes know, by request id. */
export interface ClientRecord {
  done: Map<string, bigint>
  progress: Map<string, bigint>
  /** Requests that may have been released without a charge. */
  releasing: Set<string>
  refused: Set<string>
}

/** In the order in which a request passes through them. */
export const killStates = [
  'before it is opened',
  'opened',
  'streaming',
  'grown',
  'held and not told',
  'settled and not in the books',
  'in the books and not acknowledged',
  'answered',
  'in the middle of a replay',
  'replayed and not forgotten',
] as const

/** What a process or one of its requests was doing when it was killed. */
export type KillState = (typeof killStates)[number]

/** The first such line of output, or any later one. */
export type Moment = 'replaying' | 'replayed' | 'ready' | 'done'

const script = join(import.meta.dirname, 'killable-instance.ts')

/** When a process is killed: so many milliseconds after a line, or when a condition holds. */
export type KillTime = number | Promise<unknown>

/** Runs the process, kills it when it is `time` after the line `after`, and answers its output. */
async function life(args: readonly string[], after: Moment, time: KillTime): Promise<string> {
  const child = Bun.spawn([process.execPath, script, ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  let text = ''
  let killed: Promise<void> | undefined
  const decoder = new TextDecoder()
  for await (const bytes of child.stdout) {
    text += decoder.decode(bytes, { stream: true })
    if (!killed && (text.includes(after) || (after === 'replayed' && text.includes('ready'))))
      killed = (typeof time === 'number' ? clock.sleep(time) : time).then(() => child.kill('SIGKILL'))
  }
  await child.exited
  return text
}

interface Left {
  /** The kind of the last line of each request, in all journals of the folder. */
  last: Map<string, 'o' | 'p' | 's'>
  /** Requests with a top-up. */
  grown: Set<string>
  /** Requests that have ended and are not in the tables, if the tables may be read. */
  due: string[]
  /** Nano-dollars in open holds, by instance. */
  open: Map<string, bigint>
  instances: string[]
}

async function leftIn(folder: string, tables: Store | undefined): Promise<Left> {
  const left: Left = {
    last: new Map(),
    grown: new Set(),
    due: [],
    open: new Map(),
    instances: (await namesIn(folder)).filter((name) => /^\d+$/.test(name)),
  }
  for (const name of left.instances) {
    const amounts = new Map<string, bigint>()
    for await (const bytes of readSegments(`${folder}/${name}`)) {
      for (const line of readLines(bytes)) {
        if (!line) continue
        if (line.kind === 'o') amounts.set(line.id, line.amount)
        if (line.kind === 'g') left.grown.add(line.id)
        if (line.kind === 'g') amounts.set(line.id, (amounts.get(line.id) ?? 0n) + line.amount)
        if (line.kind === 's') amounts.delete(line.id)
        if (line.kind !== 'v' && line.kind !== 'g' && left.last.get(line.id) !== 's') left.last.set(line.id, line.kind)
      }
    }
    left.open.set(
      name,
      amounts.values().reduce((sum, amount) => sum + amount, 0n),
    )
  }
  const known = tables ? await inBooks(tables, [...left.last.keys()]) : new Set()
  left.due = [...left.last].flatMap(([id, kind]) => (kind === 'o' || known.has(id) ? [] : [id]))
  return left
}

async function inBooks({ db }: Store, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.execute(
    sql`select request_id as id from logs where request_id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`,
  )
  return new Set(returned<{ id: string }>(rows).map(({ id }) => id))
}

/** Kills processes and collects what their clients know and which states were hit. */
export interface Killer {
  acknowledged: ClientRecord
  counts: Map<KillState, number>
  kills(): number
  /** Starts a process on the folder and kills it. `tables`: given when another process may read them meanwhile. */
  kill(folder: string, args: readonly string[], after: Moment, time: KillTime, tables?: Store): Promise<void>
}

/** Creates a killer that has not killed anything yet. */
export function createKiller(): Killer {
  const acknowledged: ClientRecord = { done: new Map(), progress: new Map(), releasing: new Set(), refused: new Set() }
  const counts = new Map<KillState, number>(killStates.map((state) => [state, 0]))
  let kills = 0

  /** Every state that the process or one of its requests was in. */
  async function met(text: string, before: Left, now: Left, tables: Store | undefined): Promise<Set<KillState>> {
    const states = new Set<KillState>()
    const asked = [...text.matchAll(/^asked (\w+)$/gm)].map(([, id = '']) => id)
    const known = tables ? await inBooks(tables, [...now.last.keys()]) : new Set<string>()
    for (const id of asked) {
      const last = now.last.get(id)
      if (acknowledged.done.has(id)) states.add('answered')
      else if (last === undefined && !acknowledged.refused.has(id)) states.add('before it is opened')
      else if (last === 'o') states.add('opened')
      else if (last === 'p') states.add(now.grown.has(id) ? 'grown' : 'streaming')
      else if (last === 's' && !acknowledged.refused.has(id))
        states.add(known.has(id) ? 'in the books and not acknowledged' : 'settled and not in the books')
    }
    if (!text.includes('ready') && before.due.length > 0)
      states.add(before.due.every((id) => known.has(id)) ? 'replayed and not forgotten' : 'in the middle of a replay')
    const mine = now.instances.find((name) => !before.instances.includes(name))
    if (tables && mine !== undefined && text.includes('ready')) {
      const rows = await tables.db.execute(sql`select coalesce(sum(held), 0)::text as held from leases where instance = ${mine}::bigint`)
      if (BigInt(returned<{ held: string }>(rows)[0]?.held ?? 0) < (now.open.get(mine) ?? 0n)) states.add('held and not told')
    }
    return states
  }

  return {
    acknowledged,
    counts,
    kills: () => kills,
    async kill(folder, args, after, time, tables) {
      const before = await leftIn(`${folder}/journal`, tables)
      const text = await life([folder, ...args], after, time)
      kills += 1
      for (const [, what, id = '', cost = '0'] of text.matchAll(/^(done|progress|releasing|refused) (\w+) ?(\d*)$/gm)) {
        if (what === 'done') acknowledged.done.set(id, BigInt(cost))
        else if (what === 'progress') acknowledged.progress.set(id, BigInt(cost))
        else if (what === 'releasing') acknowledged.releasing.add(id)
        else acknowledged.refused.add(id)
      }
      for (const state of await met(text, before, await leftIn(`${folder}/journal`, tables), tables))
        counts.set(state, (counts.get(state) ?? 0) + 1)
    },
  }
}
