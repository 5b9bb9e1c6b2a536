/** The cost of a request before it is sent, by the same arithmetic as its bill. */
import { billOf } from '#billing/pricing/bill'
import { cost } from '#billing/pricing/cost'
import { noUsage, type Usage } from '#canonical/usage'
import { pricedOperations } from '#http/api/models'
import { consoleRoute } from '#http/console/route/console-route'
import type { Route } from '#http/request/route'
import { type CostAnswer, CostQuestion } from '#shared/console/inspection/cost'
import { GatewayError } from '#shared/errors'
import { formatRatio, formatUsd } from '#shared/money'
import { groupFor, type ModelDeps } from './models.ts'

/** `POST /api/prices/cost`. */
export function priceCostRoutes(deps: ModelDeps): Route[] {
  const { channels, prices } = deps
  return [
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/prices/cost',
      who: 'session',
      scope: 'prices',
      asks: true,
      body: CostQuestion,
      handle: ({ user, body }) => {
        const { group, mayUse } = groupFor(deps, user, body.group)
        const price = prices.get(body.model)
        const offered = pricedOperations(price, body.model, channels.offering(group.name, body.model)).length > 0
        if (!price || !offered || !mayUse(body.model)) {
          throw new GatewayError('model_not_found', 'This group has no model of this name with a price.', { param: 'model' })
        }
        const usage = usageOf(body)
        const charge = formatUsd(cost(usage, price.rates, group.ratio))
        const bill = billOf({ usage, price: { ...price.fields, ratio: formatRatio(group.ratio) }, cost: charge }, null)
        if (bill === null) throw new GatewayError('internal_error', 'The bill could not be computed.')
        return { body: { model: body.model, group: group.name, bill } satisfies CostAnswer }
      },
    }),
  ]
}

/** The usage that these amounts are of. */
function usageOf({ amounts, servedAs }: CostQuestion): Usage {
  const { input = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, audioIn = 0, imageIn = 0 } = amounts
  const { output = 0, reasoning = 0, audioOut = 0, imageOut = 0 } = amounts
  const { request = 1, image = 0, second = 0, search = 0, character = 0 } = amounts
  return {
    ...noUsage(),
    in: { fresh: input, cacheRead, cacheWrite: { '5m': cacheWrite5m, '1h': cacheWrite1h, other: 0 }, audio: audioIn, image: imageIn },
    out: { total: output + reasoning + audioOut + imageOut, reasoning, audio: audioOut, image: imageOut },
    units: { requests: request, images: image, seconds: second, characters: character, searches: search },
    ...(servedAs && { servedAs }),
  }
}
