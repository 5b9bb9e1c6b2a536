/** Search and order of lists in memory by their query. Invalid parameters throw `invalid_value` with the parameter as `param`. */
import { GatewayError } from '#shared/errors'
import { readOne } from './one-value.ts'

/** The field that a list is ordered by, and whether it is descending. */
export interface Order<Field extends string> {
  field: Field
  down: boolean
}

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

/** The order of `sort`: one of the fields, descending with a leading `-`; `usual` without it. */
export function readOrder<Field extends string>(query: URLSearchParams, fields: readonly Field[], usual: Field): Order<Field> {
  const named = readOne(query, 'sort') ?? usual
  const field = fields.find((one) => one === named.replace(/^-/, ''))
  if (field === undefined) throw invalid('sort', `one of ${fields.join(', ')}, with - before it for the other direction`)
  return { field, down: named.startsWith('-') }
}

/** The value of a parameter that allows only these; undefined when it is absent. */
export function readOneOf<Word extends string>(query: URLSearchParams, name: string, words: readonly Word[]): Word | undefined {
  const given = readOne(query, name)
  const found = words.find((word) => word === given)
  if (given !== undefined && found === undefined) throw invalid(name, `one of ${words.join(', ')}`)
  return found
}

/** A name in a query, of 1 to 256 characters; undefined when it is absent. */
export function readName(query: URLSearchParams, name: string): string | undefined {
  const given = readOne(query, name)
  if (given !== undefined && !/^\P{Cc}{1,256}$/u.test(given)) throw invalid(name, 'a name of 1 to 256 characters')
  return given
}

/** The search text of the parameter `q`, in lower case; undefined when it is absent or empty. */
export const readSearch = (query: URLSearchParams): string | undefined => readOne(query, 'q')?.toLowerCase() || undefined

/** Whether one of the texts contains the search text. */
export const contains = (q: string | undefined, ...texts: readonly string[]): boolean =>
  q === undefined || texts.some((text) => text.toLowerCase().includes(q))

/** The name of a list in one order: a cursor is valid for one order only. */
export const orderedList = (list: string, { field, down }: Order<string>): string => `${list} ${down ? '-' : ''}${field}`

const bias = 10n ** 30n

/** Numbers up to 10 to the power of 30 as texts in the same order. */
export const numberKey = (value: bigint | number): string => (bias + BigInt(value)).toString().padStart(31, '0')
