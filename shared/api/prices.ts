/** Responses about prices and the catalogue, as schemas. */
import { type CatalogueRow, type CatalogueTotals, priceStates } from '../console/inspection/catalogue.ts'
import { type CostAnswer, CostQuestion } from '../console/inspection/cost.ts'
import { type PriceChange, type PriceEffects, PriceFields, type PriceRow, PriceTrial } from '../console/price.ts'
import { vendorIds } from '../ids.ts'
import { Decimal, OneOf, Type } from '../typebox.ts'
import { capable, Instant, Managed, Nullable, PageOf, says } from './console.ts'
import { Open } from './fields.ts'
import { BillAnswer, sums } from './usage.ts'

/** The price of a model. */
const PriceAnswer = says<PriceRow>().of(Open({ model: Type.String(), managed: Managed(), ...PriceFields.properties }))

/** GET /api/catalogue/totals */
const CatalogueTotalsAnswer = says<CatalogueTotals>().of(
  Open({
    models: Type.Integer(),
    unpriced: Type.Integer({ description: 'Offered, without a price that serves them.' }),
    losing: Type.Integer({ description: 'Of which the last seven days cost more than they brought.' }),
  }),
)

/** POST /api/prices/cost */
const CostAnswerBody = says<CostAnswer>().of(Open({ model: Type.String(), group: Type.String(), bill: BillAnswer }))

/** POST /api/prices/effect */
const PriceEffectsAnswer = says<PriceEffects>().of(
  Open({
    from: Instant(),
    to: Instant(),
    data: Type.Array(
      Open({
        model: Type.String(),
        requests: Type.Integer(),
        basis: OneOf(['requests', 'sums']),
        sessions: Type.Integer({ description: 'Realtime sessions among requests that are priced one by one.' }),
        before: Nullable(Decimal()),
        after: Decimal(),
        cost: Type.String({ description: 'USD: what these requests did cost.' }),
      }),
    ),
  }),
)

/** A row of GET /api/prices/:model/history. */
const PriceChangeAnswer = says<PriceChange>().of(
  Open({
    at: Instant(),
    actor: Type.String({ description: 'Id of a user or a management key, or `file`.' }),
    actorName: Nullable(Type.String()),
    before: Nullable(Open({})),
    after: Nullable(Open({})),
  }),
)

/** A row of GET /api/catalogue. */
const CatalogueAnswer = says<CatalogueRow>().of(
  Open({
    model: Type.String(),
    state: OneOf(priceStates),
    price: Nullable(Open({ managed: OneOf(['file', 'console']), ...PriceFields.properties })),
    priceChangedAt: Nullable(Instant()),
    channels: Type.Array(Open({ id: Type.String(), name: Type.String(), vendor: OneOf(vendorIds) })),
    ...capable,
    week: Nullable(Open(sums)),
  }),
)
/** By their names in the reference. */
export const priceSchemas = {
  PriceFields,
  Price: PriceAnswer,
  Prices: PageOf(PriceAnswer),
  Catalogue: PageOf(CatalogueAnswer),
  CatalogueTotals: CatalogueTotalsAnswer,
  CostQuestion,
  CostAnswer: CostAnswerBody,
  PriceTrial,
  PriceEffects: PriceEffectsAnswer,
  PriceHistory: PageOf(PriceChangeAnswer),
} as const
