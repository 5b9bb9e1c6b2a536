/**
 * Work that upstreams finish long after the request: recording, finding, listing, polling and removing it. Per tenant, sealed.
 * `work-runner.ts` waits for its end and settles it.
 */
import type { KeptWork, WorkFacts } from '#canonical/operation/kept-work'
import type { Clock, Random } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import type { WorkBounds, WorkColumns, WorkRecord, WorkRows } from '#store/jobs/upstream-work'

/** The data to settle ended work, as JSON. */
export interface OwedWork {
  /** The row of its request, without amounts of money. */
  row: Record<string, unknown>
  /** The fields of the price, and of the upstream's price. */
  price: Record<string, unknown>
  /** Millionths, as text. */
  ratio: string
  /** Nano-dollars that are held, as text. */
  held: string
}

/** New work. */
export interface NewWork<Facts extends WorkFacts> {
  tenant: string
  keyId: string | null
  requestId: string
  facts: Facts
  owed: OwedWork
}

/** Work by tenant and id. */
export interface UpstreamWork<Facts extends WorkFacts> {
  /** Records work that an upstream has begun; its job is running when this resolves. */
  begin(work: NewWork<Facts>): Promise<KeptWork<Facts>>
  /** Rejects with `rate_limit_exceeded` when the tenant has too much unfinished work. */
  demandRoom(tenant: string): Promise<void>
  /** Undefined when there is none; `tenant` absent: any tenant's. */
  find(id: string, tenant?: string): Promise<KeptWork<Facts> | undefined>
  list(bounds: Omit<WorkBounds, 'now' | 'after'> & { after?: KeptWork<Facts> }): Promise<KeptWork<Facts>[]>
  /** Its current progress: polled from the upstream unless it has ended, at most once a second. */
  look(work: KeptWork<Facts>, signal: AbortSignalLike): Promise<KeptWork<Facts>>
  /** False when it has not ended, or is gone. */
  remove(id: string, tenant: string): Promise<boolean>
  /** The data to settle it. */
  owed(id: string): Promise<OwedWork | undefined>
  /** Writes its end, once: false when it had already ended, or when this runner no longer owns its job. */
  end(work: KeptWork<Facts>, report: Facts['report'], owed: OwedWork, runner: string, endedAt: Date): Promise<boolean>
  /** Runs on a schedule: deletes what has expired. */
  sweep(): Promise<number>
}

/** Dependencies. */
export interface UpstreamWorkParts<Facts extends WorkFacts> {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Random
  rows: WorkRows
  /** The kind of its jobs, which is the prefix of ids; and the plural noun. */
  kind: string
  many: string
  /** Begins its job, in this process. */
  begun(id: string): Promise<void>
  /** Polls the upstream. */
  ask(work: KeptWork<Facts>, signal: AbortSignalLike): Promise<Facts['report']>
  /** Work of this tenant has changed. */
  changed(tenant: string): void
}

/** Lifetime of a row, and the polling interval, in milliseconds. */
const lifeMs = 30 * 24 * 3_600_000
const restMs = 1000
const mostOpen = 50

/** Work in this store. */
export function createUpstreamWork<Facts extends WorkFacts>(parts: UpstreamWorkParts<Facts>): UpstreamWork<Facts> {
  const { store, sealer, clock, random, rows, kind, many, begun, ask, changed } = parts
  const now = () => new Date(clock.now())
  const looks = new Map<string, { at: number; report: Promise<Facts['report']> }>()
  const possible = new RegExp(`^${kind}_[0-9a-f]{32}$`)

  const sealedAs = (id: string) => JSON.stringify([kind, id])
  const opened = (row: WorkRecord) => JSON.parse(sealer.open(row.sealed, sealedAs(row.id))) as { facts: Facts; owed: OwedWork }
  function shown(row: WorkRecord): KeptWork<Facts> {
    const { id, tenant, keyId, requestId, createdAt, endedAt, expiresAt } = row
    return { ...opened(row).facts, id, tenant, keyId, requestId, createdAt, endedAt, expiresAt }
  }
  const columns = (id: string, facts: Facts, owed: OwedWork): WorkColumns => ({
    state: facts.report.state,
    progress: facts.report.progress,
    sealed: sealer.seal(JSON.stringify({ facts, owed }), sealedAs(id)),
  })

  function asked(work: KeptWork<Facts>, signal: AbortSignalLike): Promise<Facts['report']> {
    const known = looks.get(work.id)
    if (known && clock.monotonic() - known.at < restMs) return known.report
    const look = { at: clock.monotonic(), report: ask(work, signal) }
    looks.set(work.id, look)
    look.report.catch(() => looks.get(work.id) === look && looks.delete(work.id))
    for (const [id, { at }] of looks) if (look.at - at > restMs) looks.delete(id)
    return look.report
  }

  return {
    async begin({ tenant, keyId, requestId, facts, owed }) {
      const id = `${kind}_${random.hex(16)}`
      const createdAt = now()
      const row = { id, tenant, keyId, requestId, createdAt, endedAt: null, expiresAt: new Date(createdAt.getTime() + lifeMs) }
      await rows.insert(store, { ...row, ...columns(id, facts, owed) })
      await begun(id)
      changed(tenant)
      return { ...facts, ...row }
    },
    async demandRoom(tenant) {
      if ((await rows.countOpen(store, tenant)) < mostOpen) return
      throw new GatewayError('rate_limit_exceeded', `A user may have at most ${mostOpen} ${many} in progress.`, { retryAfter: 30 })
    },
    async find(id, tenant) {
      const row = possible.test(id) ? await rows.find(store, id, now(), tenant) : undefined
      return row && shown(row)
    },
    list: async (bounds) => (await rows.list(store, { ...bounds, now: now() })).map(shown),
    async look(work, signal) {
      if (work.endedAt) return work
      const report = await asked(work, signal)
      const row = await rows.find(store, work.id, now())
      if (!row || row.endedAt) return row ? shown(row) : work
      const { facts, owed } = opened(row)
      await rows.move(store, work.id, columns(work.id, { ...facts, report }, owed))
      if (report.state !== facts.report.state || report.progress !== facts.report.progress) changed(work.tenant)
      return { ...work, report }
    },
    remove: (id, tenant) => rows.remove(store, id, tenant),
    async owed(id) {
      const row = await rows.find(store, id, now())
      return row && opened(row).owed
    },
    async end(work, report, owed, runner, endedAt) {
      const row = await rows.find(store, work.id, now())
      if (!row) return false
      return rows.end(store, work.id, runner, { ...columns(work.id, { ...opened(row).facts, report }, owed), endedAt })
    },
    sweep: () => rows.sweep(store, now()),
  }
}
