/**
 * Long work other than batches: background answers and interactions, calls, and videos. Users see their own, administrators all. Videos
 * cannot be stopped, because no vendor supports it.
 */
import { type Asker, consoleRoute } from '#http/console/route/console-route'
import { decodeCursor, encodeCursor, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import type { Actor } from '#shared/console/audit'
import type { WorkRow } from '#shared/console/work'
import { GatewayError } from '#shared/errors'
import { formatUsd } from '#shared/money'

interface Kept {
  id: string
  tenant: string
  keyId: string | null
  requestId: string
  model: string
  createdAt: Date
}

interface Work extends Kept {
  endedAt: Date | null
  report: { state: 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled'; progress: number }
}

interface Answer {
  tenant: string
  id: string
  model: string | null
  cancelled: boolean
  createdAt: Date
}

/** Filter of a list; `tenant` absent: all. */
interface Bounds {
  tenant?: string
  most: number
}

/** Dependencies. */
export interface WorkDeps<Video extends Work> extends ConsoleServices {
  videos: {
    list(asked: Bounds & { after?: Video }): Promise<Video[]>
    find(id: string, tenant?: string): Promise<Video | undefined>
  }
  answers: {
    /** Running ones, newest first. */
    open(asked: { most: number; tenant?: string | undefined; id?: string }): Promise<Answer[]>
    /** Asks the process that runs it to stop. `by`: the actor for the audit trail. */
    cancel(tenant: string, id: string, by: Actor): Promise<unknown>
  }
  interactions: {
    list(asked: Bounds & { isOpen: true }): Promise<Work[]>
    /** Asks its upstream to stop. Rejects with GatewayError. */
    stop(id: string): Promise<void>
  }
  calls: {
    /** Running ones, newest first. */
    open(asked: Bounds): Promise<Kept[]>
    /** Nano-dollars, if this instance monitors the call. */
    spent(id: string): bigint | undefined
    /** Hangs up. Rejects with GatewayError. */
    stop(id: string): Promise<void>
  }
}

const list = 'work'
/** Most running ones of each kind, listed before the videos of the first page. */
const mostOpen = 100

const noWork = () => new GatewayError('not_found', 'There is no work with this id, or it has ended.', { param: 'id' })

/** `GET /api/work` and `POST /api/work/{id}/stop`. */
export function workRoutes<Video extends Work>(deps: WorkDeps<Video>): Route[] {
  const { videos, answers, interactions, calls } = deps
  const ownerOf = (reader: Asker, tenant: string) => {
    if (reader.role !== 'admin') return {}
    const { users, teams } = deps.accounts.directory
    return { user: { id: tenant, name: users.get(tenant)?.name ?? teams.get(tenant)?.team.name ?? null } }
  }
  const factsOf = (reader: Asker, { id, tenant, keyId, requestId, model, createdAt }: Kept) => ({
    ...{ id, model, requestId },
    ...ownerOf(reader, tenant),
    key: deps.accounts.directory.keys.get(keyId ?? '')?.key.name ?? null,
    createdAt: createdAt.toISOString(),
  })
  const going = { state: 'in_progress', progress: null, endedAt: null, canStop: true } as const

  const ofWork = (reader: Asker, kind: 'video' | 'interaction', work: Work): WorkRow => ({
    ...factsOf(reader, work),
    ...{ kind, state: work.report.state, progress: work.report.progress, spent: null, canStop: kind === 'interaction' },
    endedAt: work.endedAt?.toISOString() ?? null,
  })

  const ofCall = (reader: Asker, call: Kept): WorkRow => {
    const spent = calls.spent(call.id)
    return { ...factsOf(reader, call), ...going, kind: 'call', spent: spent === undefined ? null : formatUsd(spent) }
  }

  const ofAnswer = (reader: Asker, { id, tenant, model, cancelled, createdAt }: Answer): WorkRow => ({
    ...{ ...going, id, kind: 'answer', model, key: null, requestId: null, spent: null, canStop: !cancelled },
    ...ownerOf(reader, tenant),
    ...(cancelled && { state: 'stopping' as const }),
    createdAt: createdAt.toISOString(),
  })

  /** The tenant whose work the reader sees; empty: all. */
  const whose = ({ role, id }: Asker): { tenant?: string } => (role === 'admin' ? {} : { tenant: id })

  /** Running interactions and calls, each with a function to stop it. */
  async function beside(reader: Asker): Promise<{ row: WorkRow; stop(): Promise<unknown> }[]> {
    const bounds = { ...whose(reader), most: mostOpen }
    const [asked, held] = await Promise.all([interactions.list({ ...bounds, isOpen: true }), calls.open(bounds)])
    return [
      ...asked.map((one) => ({ row: ofWork(reader, 'interaction', one), stop: () => interactions.stop(one.id) })),
      ...held.map((one) => ({ row: ofCall(reader, one), stop: () => calls.stop(one.id) })),
    ]
  }

  /** Running work, newest first. */
  async function openOf(reader: Asker): Promise<WorkRow[]> {
    const [made, others] = await Promise.all([answers.open({ ...whose(reader), most: mostOpen }), beside(reader)])
    const rows = [...made.map((one) => ofAnswer(reader, one)), ...others.map(({ row }) => row)]
    return rows.sort((a, b) => b.createdAt.localeCompare(a.createdAt))
  }

  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/work',
      who: 'session',
      scope: 'usage',
      query: paging,
      async handle({ user, query }) {
        const { limit, after } = readPaging(query)
        const bounds = whose(user)
        const last = after === undefined ? undefined : await videos.find(decodeCursor(list, after), bounds.tenant)
        if (after !== undefined && !last) throw new GatewayError('invalid_value', 'after: this video no longer exists.', { param: 'after' })
        const found = await videos.list({ ...bounds, most: limit + 1, ...(last && { after: last }) })
        const shown = found.slice(0, limit)
        const end = shown.at(-1)
        const open = last ? [] : await openOf(user)
        const next = found.length > limit && end ? encodeCursor(list, end.id) : null
        return { body: { data: [...open, ...shown.map((video) => ofWork(user, 'video', video))], next } }
      },
    }),
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/work/:id/stop',
      who: 'session',
      scope: 'keys',
      async handle({ user, visit }) {
        const { id = '' } = visit.params
        const { tenant } = whose(user)
        const [answer] = await answers.open({ most: 1, tenant, id })
        if (answer) {
          await answers.cancel(answer.tenant, id, user)
          return { body: ofAnswer(user, { ...answer, cancelled: true }) }
        }
        const other = (await beside(user)).find(({ row }) => row.id === id)
        if (other) {
          await other.stop()
          return { body: { ...other.row, state: 'stopping', canStop: false } }
        }
        if (await videos.find(id, tenant)) throw new GatewayError('invalid_value', 'A video cannot be stopped.', { param: 'id' })
        throw noWork()
      },
    }),
  ]
}
