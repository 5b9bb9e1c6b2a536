/** Filter and order of the list of a group's models. Bad parameters throw `invalid_value`. */
import { contains, numberKey, type Order, readOneOf, readOrder, readSearch } from '#http/console/route/list-order'
import { readOne } from '#http/console/route/one-value'
import { type ModelRow, modelSkills } from '#shared/console/model'
import { GatewayError } from '#shared/errors'
import { type Operation, operations } from '#shared/ids'
import { priceFigure } from './price-list.ts'

/** Query parameters of the list, besides paging and whose models they are. */
export const modelFilters = ['q', 'operation', 'can', 'sort'] as const

const orders = ['id', 'contextTokens', 'maxOutputTokens', 'input', 'output', 'cacheRead'] as const

/** Filter and order of a list of models. */
export interface ModelQuestion {
  /** Part of the name. */
  q?: string | undefined
  operation?: Operation | undefined
  /** All of these. */
  can: readonly (typeof modelSkills)[number][]
  order: Order<(typeof orders)[number]>
}

/** Parses the query. */
export const readModelQuestion = (query: URLSearchParams): ModelQuestion => ({
  q: readSearch(query),
  operation: readOneOf(query, 'operation', operations),
  can: readSkills(query),
  order: readOrder(query, orders, 'id'),
})

function readSkills(query: URLSearchParams): ModelQuestion['can'] {
  const named = readOne(query, 'can')?.split(',') ?? []
  return named.map((name) => {
    const skill = modelSkills.find((one) => one === name)
    if (skill) return skill
    throw new GatewayError('invalid_value', `can: expected one or more of ${modelSkills.join(', ')}, separated by commas.`, {
      param: 'can',
    })
  })
}

/** Whether the list shows this model. */
export function isWantedModel({ q, operation, can }: ModelQuestion, { id, operations, capabilities }: ModelRow): boolean {
  if (operation !== undefined && !operations.includes(operation)) return false
  return can.every((skill) => capabilities[skill] === true) && contains(q, id)
}

/** The sort key of the list, unique for each model; those without the figure come last in either direction. */
export function modelOrder({ field, down }: ModelQuestion['order']): (row: ModelRow) => string {
  if (field === 'id') return ({ id }) => id
  return (row) => {
    const figure = field === 'contextTokens' || field === 'maxOutputTokens' ? row[field] : priceFigure(row.price, field)
    return `${((figure ?? undefined) === undefined) === down ? 0 : 1} ${numberKey(figure ?? 0)} ${row.id}`
  }
}
