/** The API reference about models and prices. */
import type { RouteDoc } from '../route-doc.ts'
import { doc, inQuery, list } from './console-route-doc.ts'

/** Query parameters of the models of a group. */
export const modelFilters = inQuery({
  q: 'Part of the name of a model.',
  operation: 'What they do: `generate`, `embed` and so on.',
  can: '`vision`, `tools`, `reasoning`, or several, separated by commas: only models with all of them.',
  sort: '`id`, `contextTokens`, `maxOutputTokens`, `input`, `output` or `cacheRead`; a leading `-` reverses the order. Models without the figure come last.',
})

/** `/api/prices` and `/api/catalogue`. */
export const priceRouteDocs: readonly RouteDoc[] = [
  list(
    'GET /api/prices',
    'session',
    'Prices',
    'Prices',
    inQuery({
      q: 'Part of the name of a model.',
      sort: '`model`, `input` or `output`; a leading `-` reverses the order.',
    }),
  ),
  doc('PUT /api/prices/:model', 'admin', 'Set a price', { takes: 'PriceFields', gives: 'Price' }),
  doc('DELETE /api/prices/:model', 'admin', 'Delete a price'),
  list('GET /api/prices/:model/history', 'admin', 'Changes of a price, newest first', 'PriceHistory'),
  doc('POST /api/prices/cost', 'session', 'What a request would cost', {
    takes: 'CostQuestion',
    gives: 'CostAnswer',
    description:
      'At the current price and the ratio of the group, with tiers and factors, rounded up as its bill would be. Nothing is sent and nothing is charged. `output` excludes the reasoning, audio and images that are given separately.',
  }),
  doc('POST /api/prices/effect', 'admin', 'What the last seven days would have cost at other prices', {
    takes: 'PriceTrial',
    gives: 'PriceEffects',
    description:
      'Nothing is saved. With `basis` `requests`, each request is priced as it would be billed, tiers, factors and the ratio of its time included; a realtime session is priced as one request, without tiers. With `sums`, the amounts are estimated from the week’s sums at today’s ratios, without tiers and factors: if there are more than 20,000 requests, or they are no longer stored. `before` is the current price, on the same basis.',
  }),
  list(
    'GET /api/catalogue',
    'admin',
    'Every model that a channel offers or that has a price',
    'Catalogue',
    inQuery({
      q: 'Part of the name of a model, or of a channel that offers it.',
      model: 'The whole name of a model.',
      status:
        '`priced`, `unpriced`, `incomplete` (its price covers nothing that it does), `unoffered` (no enabled channel offers it) or `losing` (the last seven days cost more than they earned).',
      vendor: 'Id of a vendor.',
      sort: '`model`, `input`, `output`, `cacheRead`, `priceChangedAt`, `channels`, `requests`, `charged` or `margin` (its share; the last three of the last seven days); a leading `-` reverses the order. What needs a price comes first, what has no such figure last.',
    }),
    'Each with its price, its enabled channels, the capabilities known to the channel that is tried first, and its usage of the last seven days.',
  ),
  doc('GET /api/catalogue/totals', 'admin', 'How many models there are, and how many need a price', { gives: 'CatalogueTotals' }),
]
