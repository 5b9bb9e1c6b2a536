/** The errors of this module, each defined once, and the checks of decimal amounts. */

import type { Budget, Limits } from '#shared/console/limits'
import { GatewayError } from '#shared/errors'
import { parseRatio, parseUsd } from '#shared/money'
import { sqlState, uniqueViolation } from '#store/engine/sql-state'
import type { Managed } from './caller.ts'

/** A row that does not exist or is not visible to the caller. */
export const notFound = () => new GatewayError('not_found', 'There is nothing with this id, or it is not yours.')
/** A name that is taken. */
export const nameTaken = (param = 'name') => new GatewayError('name_taken', 'This name is taken. Choose another one.', { param })
/** A secret that is taken. */
export const secretTaken = () =>
  new GatewayError('name_taken', 'Another key already has this secret. Each key needs its own.', { param: 'key' })
/** A group the caller may not use. */
export const groupNotAllowed = () =>
  new GatewayError('group_not_allowed', 'You may not use this group, or it is no longer there.', { param: 'group' })
/** A team that the caller may not spend from. */
export const teamNotAllowed = () =>
  new GatewayError('team_not_allowed', 'You may not spend from this team, or it is no longer there.', { param: 'team' })
/** An action that the role in the team does not allow. */
export const notPermittedInTeam = () => new GatewayError('not_permitted', 'Your role in this team does not allow this.')
/** A key limited to other addresses. */
export const addressNotAllowed = () =>
  new GatewayError('address_not_allowed', 'This key may not be used from your IP address. Its owner can change that.')
/** A change that would leave no administrator able to sign in. */
export const lastAdmin = () => new GatewayError('still_in_use', 'This is the last administrator who can sign in. Create another one first.')

/** Changing one's own password without the old one. */
export const ownPassword = () =>
  new GatewayError('not_permitted', 'Change your own password with PATCH /api/session/password, which requires the old one.', {
    param: 'password',
  })

/** `what`: in the plural, as in "API keys of a user". */
export const quotaExceeded = (what: string, most: number, param?: string) =>
  new GatewayError('quota_exceeded', `The quota for ${what} is ${most}. Delete some, or ask an administrator for more.`, {
    ...(param !== undefined && { param }),
  })

/** `invalid_value` at `param`, with the expected value. */
export const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

/** Throws `managed_by_file` for a row that only parley.yaml may change. */
export function demandConsole(row: { managed: Managed }): void {
  if (row.managed === 'file') throw new GatewayError('managed_by_file', 'This is managed by parley.yaml. Change it there.')
}

/** Runs a write; the database's unique violation becomes `name_taken`. */
export async function uniquely<T>(write: Promise<T>, taken: () => GatewayError = nameTaken): Promise<T> {
  try {
    return await write
  } catch (thrown) {
    throw sqlState(thrown) === uniqueViolation ? taken() : thrown
  }
}

/** In nano-dollars: far above any real amount, far below where sums of 64-bit integers overflow. */
const mostUsd = 1_000_000_000n * 1_000_000_000n
/** In millionths. With this bound the highest price still gives amounts that fit the ledger: see `shared/console/price.ts`. */
const mostRatio = 100n * 1_000_000n

/** Parses a decimal amount of USD to nano-dollars. Throws `invalid_value` above 1,000,000,000 USD. */
export function readUsd(text: string, param: string): bigint {
  return bounded(() => parseUsd(text), mostUsd, invalid(param, 'a decimal number of USD, up to 1000000000, with up to 9 places'))
}

/** Parses a decimal ratio to millionths. Throws `invalid_value` above 100. */
export function readRatio(text: string, param: string): bigint {
  return bounded(() => parseRatio(text), mostRatio, invalid(param, 'a decimal number up to 100, with up to 6 places'))
}

function bounded(parse: () => bigint, most: bigint, refusal: GatewayError): bigint {
  let value: bigint
  try {
    value = parse()
  } catch {
    throw refusal
  }
  if (value > most || value < -most) throw refusal
  return value
}

/** Validates the budget and limits columns of a row: null clears a column, absent leaves it unchanged. Throws `invalid_value`. */
export function readBounds(given: { budget?: Budget | null; limits?: Limits | null }): { budget?: Budget | null; limits?: Limits | null } {
  if (given.budget) checkBudget(given.budget)
  return {
    ...(given.budget !== undefined && { budget: orNull(given.budget) }),
    ...(given.limits !== undefined && { limits: orNull(given.limits) }),
  }
}

function checkBudget({ timezone, ...amounts }: Budget): void {
  for (const [name, amount] of Object.entries(amounts)) readUsd(amount, `budget.${name}`)
  if (timezone === undefined) return
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw invalid('budget.timezone', 'the name of a time zone, like Europe/Berlin')
  }
}

const orNull = <T extends object>(value: T | null): T | null => (value === null || Object.keys(value).length === 0 ? null : value)
