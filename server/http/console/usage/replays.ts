/** Replays of kept requests: started, followed and stopped by the user who pays for them. */
import { consoleRoute } from '#http/console/route/console-route'
import { type Cell, csvLine, csvReply, plainWords } from '#http/console/route/csv'
import { readOne } from '#http/console/route/one-value'
import { cutPage, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import type { Replays, ReplayTable } from '#replay/replays'
import { outgoingBody } from '#runtime/outgoing-body'
import { NewReplay, type ReplayDetail, type ReplayItemRow, ReplayQuestion } from '#shared/console/replay'
import { GatewayError } from '#shared/errors'

/** Dependencies. */
export interface ReplayServices extends ConsoleServices {
  replays: Replays
}

const path = '/api/replays'
const scope = 'replay'

/** `/api/replays`. */
export function replayRoutes(deps: ReplayServices): Route[] {
  const { replays, clock } = deps
  const idOf = (params: Record<string, string>) => params.id ?? ''
  return [
    consoleRoute(deps, {
      method: 'GET',
      path,
      who: 'session',
      scope,
      query: paging,
      async handle({ user, query }) {
        const { limit, after } = readPaging(query)
        const page = await replays.page(user, limit, after === undefined ? undefined : positionOf(after))
        return { body: cutPage(page, ({ at, id }) => `${Date.parse(at)}.${id}`) }
      },
    }),
    consoleRoute(deps, {
      method: 'POST',
      path: `${path}/estimate`,
      who: 'session',
      scope,
      body: ReplayQuestion,
      handle: async ({ user, body }) => ({ body: await replays.estimate(user, body) }),
    }),
    consoleRoute(deps, {
      method: 'POST',
      path,
      who: 'session',
      scope,
      body: NewReplay,
      handle: async ({ user, body }) => ({ status: 201, body: await replays.create(user, body) }),
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: `${path}/:id`,
      who: 'session',
      scope,
      handle: async ({ user, visit }) => ({ body: await replays.detail(user, idOf(visit.params)) }),
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: `${path}/:id/items/:n`,
      who: 'session',
      scope,
      handle: async ({ user, visit }) => ({ body: await replays.compare(user, idOf(visit.params), placeOf(visit.params.n)) }),
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: `${path}/:id/export`,
      who: 'session',
      scope,
      query: ['format', 'answers'],
      async handle({ user, visit, query }) {
        const { job, answers: answersOf } = await replays.table(user, idOf(visit.params))
        const format = readOne(query, 'format') ?? 'jsonl'
        const answers = readOne(query, 'answers') ?? 'false'
        if (answers !== 'true' && answers !== 'false') throw invalid('answers', 'true or false')
        if (format === 'csv') return csvReply(`${job.id}.csv`, linesOf(job), clock)
        if (format !== 'jsonl') throw invalid('format', 'csv or jsonl')
        const source = jsonLines(job, answers === 'true' ? answersOf : undefined)
        const headers = {
          'content-type': 'application/jsonl; charset=utf-8',
          'content-disposition': `attachment; filename="${job.id}.jsonl"`,
        }
        return { stream: outgoingBody(source, clock), headers }
      },
    }),
    consoleRoute(deps, {
      method: 'POST',
      path: `${path}/:id/stop`,
      who: 'session',
      scope,
      handle: async ({ user, visit }) => ({ body: await replays.stop(user, idOf(visit.params)) }),
    }),
    consoleRoute(deps, {
      method: 'DELETE',
      path: `${path}/:id`,
      who: 'session',
      scope,
      async handle({ user, visit }) {
        await replays.remove(user, idOf(visit.params))
        return { status: 204 }
      },
    }),
  ]
}

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

function positionOf(after: string): { at: Date; id: string } {
  const [, at, id] = /^(\d{1,14})\.(rep_\w{1,100})$/.exec(after) ?? []
  if (at === undefined || id === undefined) throw invalid('after', 'the value of `next` from the previous page')
  return { at: new Date(Number(at)), id }
}

/** The index of an item; one that no job has if it is not a number. */
const placeOf = (n = ''): number => (/^\d{1,4}$/.test(n) ? Number(n) : -1)

const targetOf = (job: ReplayDetail, { target }: ReplayItemRow) => job.targets[target] ?? {}

/** Each item as one line of JSON, with its target; `read` adds both answers where they are stored. */
function jsonLines(job: ReplayDetail, read: ReplayTable['answers'] | undefined) {
  const encoder = new TextEncoder()
  const left = [...job.results]
  return {
    async next() {
      const item = left.shift()
      if (!item) return undefined
      const answers = read && item.state === 'done' ? await readable(() => read(item.n)) : {}
      return encoder.encode(`${JSON.stringify({ replay: job.id, ...item, target: targetOf(job, item), ...answers })}\n`)
    },
    close() {},
  }
}

/** An error code where they can no longer be read: the other lines are still sent. */
async function readable<T>(read: () => Promise<T>): Promise<T | { unread: string }> {
  try {
    return await read()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { unread: thrown.code }
    throw thrown
  }
}

const columns: readonly (readonly [name: string, cell: (item: ReplayItemRow, job: ReplayDetail) => Cell])[] = [
  ['request', ({ requestId }) => requestId],
  ['replay', ({ replayId }) => replayId],
  ['target_model', (item, job) => plainWords(targetOf(job, item).model)],
  ['target_channel', (item, job) => plainWords(targetOf(job, item).channel)],
  ['state', ({ state }) => state],
  ['error', ({ error }) => error?.code],
  ['exact', ({ exact }) => String(exact)],
  ['text', ({ difference }) => difference?.text],
  ['alike_percent', ({ difference }) => difference?.alike],
  ['calls', ({ difference }) => difference?.calls],
  ['finish', ({ difference }) => difference?.finish],
  ...(['original', 'result'] as const).flatMap((side) => [
    [`${side}_model`, (item: ReplayItemRow) => plainWords(item[side]?.model)] as const,
    [`${side}_status`, (item: ReplayItemRow) => item[side]?.status] as const,
    [`${side}_finish`, (item: ReplayItemRow) => item[side]?.answer?.finish] as const,
    [`${side}_tokens_in`, (item: ReplayItemRow) => item[side]?.tokensIn] as const,
    [`${side}_tokens_out`, (item: ReplayItemRow) => item[side]?.tokensOut] as const,
    [`${side}_charged`, (item: ReplayItemRow) => item[side]?.charged] as const,
    [`${side}_first_token_ms`, (item: ReplayItemRow) => item[side]?.firstTokenMs] as const,
    [`${side}_total_ms`, (item: ReplayItemRow) => item[side]?.totalMs] as const,
  ]),
]

function linesOf(job: ReplayDetail): () => string | undefined {
  const lines = [csvLine(columns.map(([name]) => name)), ...job.results.map((item) => csvLine(columns.map(([, cell]) => cell(item, job))))]
  return () => lines.shift()
}
