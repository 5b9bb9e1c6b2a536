/** Reselling: plans, codes and credits of payment systems for administrators; the own plan, and redeeming, for everyone. */
import type { User } from '#accounts/caller'
import type { Codes } from '#accounts/selling/codes'
import type { Credits } from '#accounts/selling/credits'
import type { Plans } from '#accounts/selling/plans'
import type { Teams } from '#accounts/teams/teams'
import { planLeft, type WindowsLeft } from '#billing/ledger/budgets-left'
import { consoleRoute } from '#http/console/route/console-route'
import { readOneOf, readSearch } from '#http/console/route/list-order'
import { readOne } from '#http/console/route/one-value'
import { pageOf, pageUntil, paging, placeIn, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route, Visit } from '#http/request/route'
import {
  codeStates,
  NewCodes,
  NewCredit,
  NewPlan,
  NewRefund,
  PlanGift,
  PlanPatch,
  type PlanState,
  Redemption,
} from '#shared/console/selling'
import { GatewayError } from '#shared/errors'

/** Dependencies. */
export interface SellingServices extends ConsoleServices {
  selling: { plans: Plans; codes: Codes; credits: Credits }
  windowsLeft: WindowsLeft
  teams: Pick<Teams, 'find'>
}

/** `/api/plans`, `/api/plan`, the plans of users and teams, `/api/codes` and `/api/credits`. */
export function sellingRoutes(services: SellingServices): Route[] {
  return [...planRoutes(services), ...codeRoutes(services), ...creditRoutes(services)]
}

function planRoutes(services: SellingServices): Route[] {
  const { plans } = services.selling
  const stateOf = async (payerId: string): Promise<PlanState> => {
    const { teams, users } = services.accounts.directory
    const payer = teams.get(payerId)?.team ?? users.get(payerId)
    return { plan: await planLeft(services.windowsLeft, payerId, payer?.plan, services.clock.now()) }
  }
  /** The user or team whose plan is requested. Throws `not_found`, `not_permitted`. */
  const payerOf = (user: User, query: URLSearchParams): string => {
    const [team, other] = [readOne(query, 'team'), readOne(query, 'user')]
    if (other !== undefined && user.role !== 'admin') throw new GatewayError('not_permitted', 'Only administrators may query other users.')
    return team === undefined ? (other ?? user.id) : services.teams.find(user, team).id
  }
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/plan',
      who: 'session',
      scope: 'credits',
      query: ['team', 'user'],
      handle: async ({ user, query }) => ({ body: await stateOf(payerOf(user, query)) }),
    }),
    consoleRoute(services, {
      method: 'GET',
      path: '/api/plans',
      who: 'admin',
      scope: 'credits',
      query: paging,
      handle: async ({ query }) => ({ body: pageOf('plans', await plans.rows(), (row) => row.name, readPaging(query)) }),
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/plans',
      who: 'admin',
      scope: 'credits',
      body: NewPlan,
      handle: async ({ user, body }) => ({ status: 201, body: await plans.create(user, body) }),
    }),
    consoleRoute(services, {
      method: 'PATCH',
      path: '/api/plans/:id',
      who: 'admin',
      scope: 'credits',
      body: PlanPatch,
      handle: async ({ visit, user, body }) => ({ body: await plans.change(user, idOf(visit), body) }),
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: '/api/plans/:id',
      who: 'admin',
      scope: 'credits',
      handle: async ({ visit, user }) => {
        await plans.remove(user, idOf(visit))
        return { status: 204 }
      },
    }),
    ...(['user', 'team'] as const).flatMap((of) => [
      consoleRoute(services, {
        method: 'PUT',
        path: `/api/${of}s/:id/plan`,
        who: 'admin',
        scope: 'credits',
        fresh: true,
        body: PlanGift,
        handle: async ({ visit, user, body }) => {
          const id = plans.payerId(of, idOf(visit))
          await plans.give(user, id, body)
          return { body: await stateOf(id) }
        },
      }),
      consoleRoute(services, {
        method: 'DELETE',
        path: `/api/${of}s/:id/plan`,
        who: 'admin',
        scope: 'credits',
        fresh: true,
        handle: async ({ visit, user }) => {
          await plans.take(user, plans.payerId(of, idOf(visit)))
          return { status: 204 }
        },
      }),
    ]),
  ]
}

function codeRoutes(services: SellingServices): Route[] {
  const { codes } = services.selling
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/codes',
      who: 'admin',
      scope: 'credits',
      query: [...paging, 'batch', 'state', 'q'],
      async handle({ query }) {
        const { limit, after } = readPaging(query)
        const batch = readOne(query, 'batch')
        const [state, q] = [readOneOf(query, 'state', codeStates), readSearch(query)]
        const place = placeIn('codes', after)
        const { rows, more } = await codes.page({
          limit,
          ...(place && { after: { at: place.at, id: place.id } }),
          ...(batch !== undefined && { batch }),
          ...(state && { state }),
          ...(q !== undefined && { q }),
        })
        return { body: pageUntil('codes', rows, more && [more.at, more.id], (row) => [row.createdAt, row.id]) }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/codes',
      who: 'admin',
      scope: 'credits',
      fresh: true,
      body: NewCodes,
      handle: async ({ user, body }) => ({ status: 201, body: await codes.create(user, body) }),
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: '/api/codes/:id',
      who: 'admin',
      scope: 'credits',
      fresh: true,
      handle: async ({ visit, user }) => {
        await codes.revoke(user, idOf(visit))
        return { status: 204 }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/codes/redeem',
      who: 'session',
      body: Redemption,
      handle: async ({ visit, user, body }) => ({ status: 201, body: await codes.redeem(user, body, visit.clientAddress) }),
    }),
  ]
}

function creditRoutes(services: SellingServices): Route[] {
  const { credits } = services.selling
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/credits',
      who: 'admin',
      scope: 'credits',
      query: [...paging, 'reference', 'wallet', 'kind', 'q'],
      async handle({ query }) {
        const { limit, after } = readPaging(query)
        const [reference, wallet] = [readOne(query, 'reference'), readOne(query, 'wallet')]
        const [kind, q] = [readOneOf(query, 'kind', ['credit', 'refund'] as const), readSearch(query)]
        const place = placeIn('credits', after)
        const { rows, more } = await credits.page({
          limit,
          ...(place && { after: { at: place.at, reference: place.id } }),
          ...(reference !== undefined && { reference }),
          ...(wallet !== undefined && { wallet }),
          ...(kind && { kind }),
          ...(q !== undefined && { q }),
        })
        return { body: pageUntil('credits', rows, more && [more.at, more.reference], (row) => [row.at, row.reference]) }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/credits',
      who: 'admin',
      scope: 'credits',
      fresh: true,
      body: NewCredit,
      handle: async ({ user, body }) => ({ status: 201, body: await credits.credit(user, body) }),
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/credits/refund',
      who: 'admin',
      scope: 'credits',
      fresh: true,
      body: NewRefund,
      handle: async ({ user, body }) => ({ status: 201, body: await credits.refund(user, body) }),
    }),
  ]
}

const idOf = ({ params }: Visit): string => params.id ?? ''
