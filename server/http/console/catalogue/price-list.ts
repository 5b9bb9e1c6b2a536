/** Filter, order and totals of the administrators' list of models and prices. Bad parameters throw `invalid_value`. */
import type { Price, PriceBook } from '#billing/pricing/price'
import type { Prices } from '#billing/pricing/prices'
import { operationsOf, pricedOperations } from '#http/api/models'
import { contains, numberKey, type Order, readName, readOneOf, readOrder, readSearch } from '#http/console/route/list-order'
import type { Channel, Channels } from '#routing/channel'
import { type CatalogueRow, type CatalogueTotals, type PriceState, priceStates } from '#shared/console/inspection/catalogue'
import type { PriceFields } from '#shared/console/price'
import type { UsageTotals } from '#shared/console/usage'
import { vendorIds } from '#shared/ids'
import { parseUsd } from '#shared/money'
import { factsOf } from './model-facts.ts'

/** Query parameters of the catalogue, besides paging. */
export const catalogueFilters = ['q', 'model', 'status', 'vendor', 'sort'] as const

const statuses = [...priceStates, 'losing'] as const
const prices = ['input', 'output', 'cacheRead'] as const
const orders = ['model', ...prices, 'priceChangedAt', 'channels', 'requests', 'charged', 'margin'] as const

/** Filter and order of the catalogue. */
export interface CatalogueQuestion {
  /** Part of the name of a model or of a channel that offers it. */
  q?: string | undefined
  /** The whole name. */
  model?: string | undefined
  status?: (typeof statuses)[number] | undefined
  vendor?: (typeof vendorIds)[number] | undefined
  order: Order<(typeof orders)[number]>
}

/** Parses the query. */
export const readCatalogueQuestion = (query: URLSearchParams): CatalogueQuestion => ({
  q: readSearch(query),
  model: readName(query, 'model'),
  status: readOneOf(query, 'status', statuses),
  vendor: readOneOf(query, 'vendor', vendorIds),
  order: readOrder(query, orders, 'model'),
})

/** Prices, with the time of each's last change. */
export type DatedPrices = PriceBook & Pick<Prices, 'changedAt'>

/** A model of the catalogue, before its row is made. */
export interface Listed {
  model: string
  price: Price | undefined
  priceChangedAt: Date | null
  /** Enabled channels, by priority. */
  offering: readonly Channel[]
  state: PriceState
  week: UsageTotals | undefined
}

/** Every model that an enabled channel offers, or that has a price. `week`: usage by model. */
export function listed(channels: Channels, book: DatedPrices, week: ReadonlyMap<string, UsageTotals>): Listed[] {
  const offering = new Map<string, Channel[]>()
  for (const channel of [...channels.all()].filter(({ enabled }) => enabled).sort((a, b) => b.priority - a.priority)) {
    for (const model of channel.models.keys()) {
      const known = offering.get(model)
      if (known) known.push(channel)
      else offering.set(model, [channel])
    }
  }
  const names = new Set([...offering.keys(), ...[...book.all()].map(({ model }) => model)])
  return [...names].map((model) => {
    const [price, offers = []] = [book.get(model), offering.get(model)]
    const priceChangedAt = price ? book.changedAt(model) : null
    return { model, price, priceChangedAt, offering: offers, state: stateOf(model, price, offers), week: week.get(model) }
  })
}

function stateOf(model: string, price: Price | undefined, offering: readonly Channel[]): PriceState {
  if (offering.length === 0) return 'unoffered'
  if (price === undefined) return 'unpriced'
  return pricedOperations(price, model, offering).length === 0 ? 'incomplete' : 'priced'
}

const lacksPrice = ({ state }: Listed) => state === 'unpriced' || state === 'incomplete'
const isLosing = ({ week }: Listed) => week?.margin?.startsWith('-') ?? false

/** Whether the catalogue shows this model. */
export function isWantedModel({ q, model, status, vendor }: CatalogueQuestion, one: Listed): boolean {
  if (model !== undefined && one.model !== model) return false
  if (vendor !== undefined && !one.offering.some((channel) => channel.vendor.id === vendor)) return false
  if (status !== undefined && (status === 'losing' ? !isLosing(one) : one.state !== status)) return false
  return contains(q, one.model, ...one.offering.map(({ name }) => name))
}

/** The sort key of the catalogue: models that need a price come first and those without the figure last, in either direction. */
export function catalogueOrder({ field, down }: CatalogueQuestion['order']): (one: Listed) => string {
  const place = (isFirst: boolean) => (isFirst === down ? '1' : '0')
  return (one) => {
    const figure = figureOf(one, field)
    const key = field === 'model' ? '' : `${place(figure !== undefined)} ${numberKey(figure ?? 0)} `
    return `${place(lacksPrice(one))} ${key}${one.model}`
  }
}

function figureOf({ price, priceChangedAt, offering, week }: Listed, field: (typeof orders)[number]): bigint | number | undefined {
  if (field === 'channels') return offering.length
  if (field === 'priceChangedAt') return priceChangedAt?.getTime()
  if (field === 'requests') return week?.requests
  if (field === 'charged') return week && parseUsd(week.charged)
  if (field === 'margin') return week?.margin ? marginShare(week.margin, week.charged) : undefined
  return field === 'model' ? undefined : priceFigure(price?.fields, field)
}

/** Nano-dollars of an amount of a price; undefined where it names none. */
export const priceFigure = (fields: PriceFields | undefined, name: (typeof prices)[number]): bigint | undefined =>
  fields?.[name] === undefined ? undefined : parseUsd(fields[name])

/** The margin in millionths of the charges. Without charges, a loss sorts below and a gain above any share. */
function marginShare(margin: string, charged: string): bigint {
  const [gained, paid] = [parseUsd(margin), parseUsd(charged)]
  return paid > 0n ? (gained * 1_000_000n) / paid : gained * 1_000_000n
}

/** The row of a model. */
export function catalogueRow({ model, price, priceChangedAt, offering, state, week }: Listed): CatalogueRow {
  const [first] = offering
  return {
    model,
    state,
    price: price ? { managed: price.managed, ...price.fields } : null,
    priceChangedAt: priceChangedAt?.toISOString() ?? null,
    channels: offering.map(({ id, name, vendor }) => ({ id, name, vendor: vendor.id })),
    operations: operationsOf(model, offering),
    ...factsOf(first, model),
    week: week ?? null,
  }
}

/** Number of models of each kind that needs attention. */
export const catalogueTotals = (all: readonly Listed[]): CatalogueTotals => ({
  models: all.length,
  unpriced: all.filter(lacksPrice).length,
  losing: all.filter(isLosing).length,
})
