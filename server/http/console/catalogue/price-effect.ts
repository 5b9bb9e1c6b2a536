/** What prices would have made of the last seven days, before they are set; and who changed a price. For administrators. */
import { costOfSums } from '#billing/pricing/effect'
import type { PriceBook } from '#billing/pricing/price'
import { resolveRates } from '#billing/pricing/rates'
import { consoleRoute } from '#http/console/route/console-route'
import { cutPage, mapPage, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import type { AuditRow } from '#shared/console/audit'
import { type PriceChange, type PriceEffect, type PriceFields, PriceTrial } from '#shared/console/price'
import { GatewayError } from '#shared/errors'
import { formatUsd, parseUsd } from '#shared/money'
import { weekOf } from './week.ts'

/** `POST /api/prices/effect`, `GET /api/prices/:model/history`. */
export function priceEffectRoutes(deps: ConsoleServices & { prices: PriceBook }): Route[] {
  const { accounts, prices } = deps
  return [
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/prices/effect',
      who: 'admin',
      scope: 'prices',
      asks: true,
      body: PriceTrial,
      handle: async ({ user, body }) => {
        const { from, to, rows } = await weekOf(deps, user, ['model', 'group'])
        const byModel = Map.groupBy(rows, ({ model = '' }) => model)
        const ratios = new Map([...accounts.groups.all()].map(({ name, ratio }) => [name, ratio]))
        const data = Object.entries(body.prices).map(([model, fields]): PriceEffect => {
          const [rates, present] = [ratesOf(model, fields), prices.get(model)?.rates]
          const sums = byModel.get(model) ?? []
          const at = (price: typeof rates) =>
            formatUsd(sums.reduce((all, one) => all + costOfSums(price, one, ratios.get(one.group ?? '') ?? 1_000_000n), 0n))
          return {
            model,
            requests: sums.reduce((all, { requests }) => all + requests, 0),
            before: present ? at(present) : null,
            after: at(rates),
            cost: formatUsd(sums.reduce((all, { cost }) => all + parseUsd(cost), 0n)),
          }
        })
        return { body: { from: from.toISOString(), to: to.toISOString(), data } }
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

/** The amounts that changed. The trail holds the price as one field. */
function changeOf({ at, action, actor, actorName, before, after }: AuditRow): PriceChange {
  // A price that has left the file is kept, out of use.
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

/** The rates of a price that is tried. Throws as `resolveRates` does, with the model before the field. */
function ratesOf(model: string, fields: PriceFields): ReturnType<typeof resolveRates> {
  try {
    return resolveRates(fields)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    throw new GatewayError(thrown.code, thrown.message, {
      param: [`prices.${model}`, thrown.param].filter(Boolean).join('.'),
      cause: thrown,
    })
  }
}
