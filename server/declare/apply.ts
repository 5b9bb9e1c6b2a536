/**
 * Makes rows of a declaration: names are identity, what left the file is disabled, what the console made is never touched.
 * Applying the same file again writes nothing. Each room keeps its own rows and says with `param` what is wrong in them.
 */
import type { Prices } from '#billing/pricing/prices'
import type { ChannelRegistry } from '#routing/channels'
import type { GroupFields } from '#shared/console/group'
import type { DeclaredKey } from '#shared/console/key'
import type { NewUser } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { steps } from './checks.ts'
import type { Declaration } from './declaration.ts'
import type { Path } from './source.ts'

/** Each inserts, updates and disables in one call; a GatewayError's `param` is `INDEX.FIELD`, as in the other rooms. */
export interface DeclaredAccounts {
  declareGroups(rows: readonly { name: string; fields: GroupFields }[]): Promise<void>
  declareUsers(rows: readonly NewUser[]): Promise<void>
  declareKeys(rows: readonly DeclaredKey[]): Promise<void>
}

export interface Declared {
  accounts: DeclaredAccounts
  channels: Pick<ChannelRegistry, 'declare' | 'all'>
  prices: Pick<Prices, 'declare'>
  /** Keeps the fallbacks for routing, as one setting. */
  keepFallbacks(fallbacks: Declaration['fallbacks']): Promise<void>
}

/**
 * Resolves to warnings for the operator, one line each: fallbacks to models that no channel offers. Throws GatewayError with
 * the place in the file when a row cannot be as the file wants it; sections before it have then been written, and it is the
 * caller's to undo them.
 */
export async function applyDeclaration(declaration: Declaration, to: Declared): Promise<string[]> {
  const { groups, channels, prices, users, keys, fallbacks } = declaration
  await placed(declaration, to.accounts.declareGroups(groups), ([index, ...field]) => [
    'groups',
    groups[Number(index)]?.name ?? '',
    ...field,
  ])
  await placed(declaration, to.channels.declare(channels), (path) => ['channels', ...path])
  await placed(declaration, to.prices.declare(prices), ([index, ...field]) => ['prices', prices[Number(index)]?.model ?? '', ...field])
  await placed(declaration, to.accounts.declareUsers(users), (path) => ['users', ...path])
  await placed(declaration, to.accounts.declareKeys(keys), (path) => ['keys', ...path])
  await to.keepFallbacks(fallbacks)
  return unknownFallbacks(declaration, to)
}

/** The row's own error, with its place in the file. Anything but a refusal by the row's room passes as it is. */
async function placed(declaration: Declaration, work: Promise<void>, pathOf: (path: string[]) => Path): Promise<void> {
  try {
    await work
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.blame !== 'client' || thrown.param === undefined) throw thrown
    const path = pathOf(steps(thrown.param))
    throw declaration.refusal(path, `${path.join('.')}: ${thrown.message}`)
  }
}

/** Not an error: a channel that the console removed must not keep the program from starting. */
function unknownFallbacks(declaration: Declaration, { channels }: Declared): string[] {
  const offered = new Set([...channels.all()].flatMap((channel) => [...channel.models.keys()]))
  return Object.entries(declaration.fallbacks).flatMap(([model, causes]) =>
    Object.entries(causes).flatMap(([cause, models]) =>
      models.flatMap((name, index) => {
        const path = ['fallbacks', model, cause, index]
        return offered.has(name) ? [] : [declaration.refusal(path, `${path.join('.')}: No channel offers this model`).message]
      }),
    ),
  )
}
