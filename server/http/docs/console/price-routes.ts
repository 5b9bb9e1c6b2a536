/** The API reference about models and prices. */
import type { RouteDoc } from '../route-doc.ts'
import { doc, inQuery, list } from './console-route-doc.ts'

/** Query parameters of the models of a group. */
export const modelFilters = inQuery({
  q: 'Part of the name of a model.',
  operation: 'What they do: `generate`, `embed` and so on.',
  can: '`vision`, `tools`, `reasoning`, or some of them with commas between: what they all can do.',
  sort: '`id`, `contextTokens`, `maxOutputTokens`, `input`, `output` or `cacheRead`; with a leading `-` the other way round. What has no such figure comes last.',
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
      sort: '`model`, `input` or `output`; with a leading `-` the other way round.',
    }),
  ),
  doc('PUT /api/prices/:model', 'admin', 'Set a price', { takes: 'PriceFields', gives: 'Price' }),
  doc('DELETE /api/prices/:model', 'admin', 'Delete a price'),
  list('GET /api/prices/:model/history', 'admin', 'Changes of a price, newest first', 'PriceHistory'),
  doc('POST /api/prices/cost', 'session', 'What a request would cost', {
    takes: 'CostQuestion',
    gives: 'CostAnswer',
    description:
      'At the present price and the ratio of the group, with tiers and factors, rounded up as its bill would be. Nothing is sent and nothing is charged. `output` is without the reasoning, audio and images that are named beside it.',
  }),
  doc('POST /api/prices/effect', 'admin', 'What prices would have charged for the last seven days', {
    takes: 'PriceTrial',
    gives: 'PriceEffects',
    description:
      'Nothing is saved. With `basis` `requests`, each request is priced as it would be billed, tiers, factors and the ratio of its time included; a realtime session is priced as one request, without tiers. With `sums`, the amounts are estimated from the week’s sums at today’s ratios, without tiers and factors: where more than 20,000 requests were asked about, or they are no longer stored. `before` is the present price, on the same basis.',
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
        '`priced`, `unpriced`, `incomplete` (its price serves nothing that it does), `unoffered` (no channel that is on offers it) or `losing` (the last seven days cost more than they brought).',
      vendor: 'Id of a vendor.',
      sort: '`model`, `input`, `output`, `cacheRead`, `priceChangedAt`, `channels`, `requests`, `charged` or `margin` (its share; the last three of the last seven days); with a leading `-` the other way round. What needs a price comes first, what has no such figure last.',
    }),
    'Each with its price, the channels that are on, what it can do as the channel knows it that is tried first, and its usage of the last seven days.',
  ),
  doc('GET /api/catalogue/totals', 'admin', 'How many models there are, and how many need a price', { gives: 'CatalogueTotals' }),
]
