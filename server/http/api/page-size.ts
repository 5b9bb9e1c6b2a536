/** The page size of lists. */
import { GatewayError } from '#shared/errors'

/** Rows per page from the parameter `limit`: 1 to 100, the vendors' default of 20 when absent. Throws `invalid_value`. */
export function pageSize(limit: string | null): number {
  if (limit === null) return 20
  if (/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 100) return Number(limit)
  throw new GatewayError('invalid_value', 'The parameter `limit` must be an integer from 1 to 100.', { param: 'limit' })
}
