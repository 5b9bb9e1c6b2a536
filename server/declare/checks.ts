/** Checks of the file that schemas cannot express: duplicate names, incomplete prices, ratios with too many decimal places. */
import { resolveRates } from '#billing/pricing/rates'
import type { PriceFields } from '#shared/console/price'
import { GatewayError } from '#shared/errors'
import { parseRatio } from '#shared/money'
import type { Problem } from './problem.ts'
import type { File } from './schema.ts'
import type { Path, Source } from './source.ts'

/** All problems of a schema-valid file, with positions. */
export function crossChecks(file: File, source: Source): Problem[] {
  return [...repeated(file, source), ...keyless(file, source), ...unpriced(file, source), ...ratios(file, source)]
}

/** A `param` such as `tiers.0.output` as a path. */
export const steps = (param: string | undefined): string[] => (param === undefined ? [] : param.split('.'))

/** Rows are matched by name: two rows with the same name would overwrite each other. */
function repeated({ channels = [], plans = [], users = [], teams = [], keys = [] }: File, source: Source): Problem[] {
  return [
    ...twice('channels', 'name', channels),
    ...twice('plans', 'name', plans),
    ...twice('users', 'name', users),
    ...twice('teams', 'name', teams),
    ...twice('keys', 'name', keys),
    ...twice('keys', 'key', keys),
    ...twice('keys', 'digest', keys),
  ].map((path) => ({ ...source.placeOf(path), message: `${path.join('.')}: Another entry has the same` }))
}

function twice<Field extends string>(section: string, field: Field, rows: readonly Partial<Record<Field, string>>[]): Path[] {
  const seen = new Set<string>()
  return rows.flatMap((row, index) => {
    const value = row[field]
    if (value === undefined) return []
    const known = seen.has(value)
    seen.add(value)
    return known ? [[section, index, field]] : []
  })
}

/** A key is given itself or by its digest. */
function keyless({ keys = [] }: File, source: Source): Problem[] {
  return keys.flatMap(({ key, digest }, index) => {
    if (key === undefined && digest === undefined) return [{ ...source.placeOf(['keys', index]), message: 'Missing field "key"' }]
    if (key === undefined || digest === undefined) return []
    return [{ ...source.placeOf(['keys', index, 'digest']), message: `keys.${index}.digest: Give either key or digest` }]
  })
}

function unpriced({ prices = {}, channels = [] }: File, source: Source): Problem[] {
  const costs = channels.flatMap((channel, index) => pricesAt(['channels', index, 'costs'], channel.costs ?? {}))
  return [...pricesAt(['prices'], prices), ...costs].flatMap(({ path, fields }) => {
    const fault = faultOf(() => resolveRates(fields))
    return fault ? [{ ...source.placeOf([...path, ...steps(fault.param)]), message: `${path.join('.')}: ${fault.message}` }] : []
  })
}

function pricesAt(path: Path, prices: Record<string, PriceFields>): { path: Path; fields: PriceFields }[] {
  return Object.entries(prices).map(([model, fields]) => ({ path: [...path, model], fields }))
}

/** A ratio has fewer decimal places than money. */
function ratios({ groups = {} }: File, source: Source): Problem[] {
  return Object.entries(groups).flatMap(([name, { ratio = '1' }]) => {
    const place = source.placeOf(['groups', name, 'ratio'])
    return faultOf(() => parseRatio(ratio)) ? [{ ...place, message: `groups.${name}.ratio: A ratio has up to 6 places` }] : []
  })
}

function faultOf(work: () => unknown): { message: string; param?: string | undefined } | undefined {
  try {
    work()
    return undefined
  } catch (thrown) {
    if (thrown instanceof GatewayError || thrown instanceof RangeError) return thrown
    throw thrown
  }
}
