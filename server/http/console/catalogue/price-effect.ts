/** What the last seven days would have cost at prices to be set; and the history of a price. For administrators. */
import { consoleRoute } from '#http/console/route/console-route'
import { cutPage, mapPage, paging, readPaging } from '#http/console/route/page'
import type { Route } from '#http/request/route'
import type { AuditRow } from '#shared/console/audit'
import { type PriceChange, type PriceEffects, PriceTrial } from '#shared/console/price'
import { type EffectDeps, effectsOfWeek } from './effects-of-week.ts'
import { lastWeek } from './week.ts'

/** `POST /api/prices/effect`, `GET /api/prices/:model/history`. */
export function priceEffectRoutes(deps: EffectDeps): Route[] {
  const { accounts, clock } = deps
  return [
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/prices/effect',
      who: 'admin',
      scope: 'prices',
      asks: true,
      body: PriceTrial,
      handle: async ({ user, body, visit }) => {
        const week = lastWeek(clock)
        const data = await effectsOfWeek(deps, user, week, body.prices, visit.request.signal)
        return { body: { from: week.from.toISOString(), to: week.to.toISOString(), data } satisfies PriceEffects }
      },
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/prices/:model/history',
      who: 'admin',
      scope: 'prices',
      query: paging,
      handle: async ({ visit, query }) => {
        const page = await accounts.auditTrail.page({ target: visit.params.model ?? '', action: 'price', ...readPaging(query) })
        return {
          body: await mapPage(
            cutPage(page, ({ id }) => id),
            (rows) => rows.map(changeOf),
          ),
        }
      },
    }),
  ]
}

type Fields = Record<string, unknown>

/** The amounts that changed. The audit trail has the price as one field. */
function changeOf({ at, action, actor, actorName, before, after }: AuditRow): PriceChange {
  // A price removed from the file is kept, disabled.
  if (action === 'price.disable') return { at, actor, actorName, before: {}, after: null }
  const [old, now] = [amountsIn(before), amountsIn(after)]
  const names = Object.keys({ ...old, ...now }).filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(now?.[name]))
  const only = (side: Fields | null) => side && Object.fromEntries(names.flatMap((name) => (name in side ? [[name, side[name]]] : [])))
  return { at, actor, actorName, before: only(old), after: only(now) }
}

/** Null where there was no price. */
function amountsIn(side: AuditRow['before']): Fields | null {
  const price = side?.price
  return typeof price === 'object' && price !== null ? { ...price } : null
}
