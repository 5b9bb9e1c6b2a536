/**
 * Long work beside batches: answers that are made in the background, and videos. Users see their own, administrators all. An answer can be
 * stopped; a video cannot, because no vendor stops one.
 */
import { type Asker, consoleRoute } from '#http/console/route/console-route'
import { decodeCursor, encodeCursor, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import type { Actor } from '#shared/console/audit'
import type { WorkRow } from '#shared/console/work'
import { GatewayError } from '#shared/errors'

interface Video {
  id: string
  tenant: string
  keyId: string | null
  requestId: string
  model: string
  createdAt: Date
  endedAt: Date | null
  report: { state: 'queued' | 'in_progress' | 'completed' | 'failed'; progress: number }
}

interface Answer {
  tenant: string
  id: string
  model: string | null
  cancelled: boolean
  createdAt: Date
}

/** What the routes need from the program; `tenant` absent: everybody's. */
export interface WorkDeps<Known extends Video> extends ConsoleServices {
  videos: {
    list(asked: { tenant?: string; most: number; after?: Known }): Promise<Known[]>
    find(id: string, tenant?: string): Promise<Known | undefined>
  }
  answers: {
    /** Those that are being made, the newest first. */
    open(asked: { most: number; tenant?: string | undefined; id?: string }): Promise<Answer[]>
    /** Asks whoever makes it to stop. `by`: who is named in the audit trail. */
    cancel(tenant: string, id: string, by: Actor): Promise<unknown>
  }
}

const list = 'work'
/** Answers in the making that are shown; they come before the videos of the first page. */
const mostAnswers = 100

/** `GET /api/work` and `POST /api/work/{id}/stop`. */
export function workRoutes<Known extends Video>(deps: WorkDeps<Known>): Route[] {
  const { videos, answers } = deps
  const ownerOf = (reader: Asker, tenant: string) => {
    if (reader.role !== 'admin') return {}
    const { users, teams } = deps.accounts.directory
    return { user: { id: tenant, name: users.get(tenant)?.name ?? teams.get(tenant)?.team.name ?? null } }
  }

  const rowOf = (reader: Asker, { id, tenant, keyId, requestId, model, createdAt, endedAt, report }: Video): WorkRow => ({
    ...{ id, kind: 'video', model, requestId },
    ...ownerOf(reader, tenant),
    key: deps.accounts.directory.keys.get(keyId ?? '')?.key.name ?? null,
    ...{ state: report.state, progress: report.progress },
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  })

  const answerRow = (reader: Asker, { id, tenant, model, cancelled, createdAt }: Answer): WorkRow => ({
    ...{ id, kind: 'answer', model, key: null, requestId: null, progress: null, endedAt: null },
    ...ownerOf(reader, tenant),
    state: cancelled ? 'stopping' : 'in_progress',
    createdAt: createdAt.toISOString(),
  })

  /** Whose work the reader sees; undefined: everybody's. */
  const whose = ({ role, id }: Asker) => (role === 'admin' ? undefined : id)

  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/work',
      who: 'session',
      scope: 'usage',
      query: paging,
      async handle({ user, query }) {
        const { limit, after } = readPaging(query)
        const tenant = whose(user)
        const last = after === undefined ? undefined : await videos.find(decodeCursor(list, after), tenant)
        if (after !== undefined && !last) throw new GatewayError('invalid_value', 'after: this video is gone.', { param: 'after' })
        const found = await videos.list({ ...(tenant !== undefined && { tenant }), most: limit + 1, ...(last && { after: last }) })
        const shown = found.slice(0, limit)
        const end = shown.at(-1)
        const making = last ? [] : await answers.open({ most: mostAnswers, tenant })
        const next = found.length > limit && end ? encodeCursor(list, end.id) : null
        return { body: { data: [...making.map((answer) => answerRow(user, answer)), ...shown.map((video) => rowOf(user, video))], next } }
      },
    }),
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/work/:id/stop',
      who: 'session',
      scope: 'keys',
      async handle({ user, visit }) {
        const { id = '' } = visit.params
        const tenant = whose(user)
        const [answer] = await answers.open({ most: 1, tenant, id })
        if (answer) {
          await answers.cancel(answer.tenant, id, user)
          return { body: answerRow(user, { ...answer, cancelled: true }) }
        }
        if (await videos.find(id, tenant)) throw new GatewayError('invalid_value', 'A video cannot be stopped.', { param: 'id' })
        throw new GatewayError('not_found', 'No answer of this id is being made.', { param: 'id' })
      },
    }),
  ]
}
