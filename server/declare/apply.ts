/**
 * Applies a declaration: rows are matched by name, rows no longer in the file are disabled, rows created in the console are never
 * touched. Applying the same file again writes nothing. Each module writes its own rows and reports the faulty field in `param`.
 */
import type { Prices } from '#billing/pricing/prices'
import type { ChannelRegistry } from '#routing/channels'
import type { GroupFields } from '#shared/console/group'
import type { DeclaredKey } from '#shared/console/key'
import type { DeclaredHold, NewPlan } from '#shared/console/selling'
import type { DeclaredTeam } from '#shared/console/team'
import type { DeclaredUser } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { steps } from './checks.ts'
import type { Declaration } from './declaration.ts'
import type { Path } from './source.ts'

/** The writes of `server/accounts`: each inserts, updates and disables in one call; a GatewayError's `param` is `INDEX.FIELD`. */
export interface DeclaredAccounts {
  declareGroups(rows: readonly { name: string; fields: GroupFields }[]): Promise<void>
  declarePlans(rows: readonly NewPlan[]): Promise<void>
  declareUsers(rows: readonly DeclaredUser[]): Promise<void>
  declareTeams(rows: readonly DeclaredTeam[]): Promise<void>
  declareHolders(of: 'user' | 'team', rows: readonly { name: string; plan?: DeclaredHold }[]): Promise<void>
  declareKeys(rows: readonly DeclaredKey[]): Promise<void>
}

/** The modules that a declaration is applied to. */
export interface Declared {
  accounts: DeclaredAccounts
  channels: Pick<ChannelRegistry, 'declare' | 'all'>
  prices: Pick<Prices, 'declare'>
  /** Stores the fallbacks for routing, as one setting. */
  keepFallbacks(fallbacks: Declaration['fallbacks']): Promise<void>
  /** Stores the routing settings. */
  keepRouting(routing: Declaration['routing']): Promise<void>
}

/**
 * Resolves to warnings for the operator, one line each: fallbacks to models that no channel offers, keys that could be
 * guessed. Throws GatewayError with the
 * position in the file when a row cannot be applied; earlier sections have then been written, and the caller must roll them back.
 */
export async function applyDeclaration(declaration: Declaration, to: Declared): Promise<string[]> {
  const { groups, channels, prices, plans, users, teams, keys, fallbacks, routing } = declaration
  await placed(declaration, to.accounts.declareGroups(groups), ([index, ...field]) => [
    'groups',
    groups[Number(index)]?.name ?? '',
    ...field,
  ])
  await placed(declaration, to.channels.declare(channels), (path) => ['channels', ...path])
  await placed(declaration, to.prices.declare(prices), ([index, ...field]) => ['prices', prices[Number(index)]?.model ?? '', ...field])
  await placed(declaration, to.accounts.declarePlans(plans), (path) => ['plans', ...path])
  await placed(declaration, to.accounts.declareUsers(users), (path) => ['users', ...path])
  await placed(declaration, to.accounts.declareTeams(teams), (path) => ['teams', ...path])
  await placed(declaration, to.accounts.declareHolders('user', users), (path) => ['users', ...path])
  await placed(declaration, to.accounts.declareHolders('team', teams), (path) => ['teams', ...path])
  await placed(declaration, to.accounts.declareKeys(keys), (path) => ['keys', ...path])
  await to.keepFallbacks(fallbacks)
  await to.keepRouting(routing)
  return [...unknownFallbacks(declaration, to), ...guessableKeys(declaration)]
}

/** Adds the position in the file to a GatewayError of a row; other errors pass unchanged. */
async function placed(declaration: Declaration, work: Promise<void>, pathOf: (path: string[]) => Path): Promise<void> {
  try {
    await work
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.blame !== 'client' || thrown.param === undefined) throw thrown
    const path = pathOf(steps(thrown.param))
    // Some messages begin with the field, which the path ends with.
    const [own = '', field] = /^([\w.]+): /.exec(thrown.message) ?? []
    const isNamed = field !== undefined && `.${thrown.param}`.endsWith(`.${field}`)
    throw declaration.refusal(path, `${path.join('.')}: ${isNamed ? thrown.message.slice(own.length) : thrown.message}`)
  }
}

/** A warning, not an error: removing a channel in the console must not keep the program from starting. */
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

/** Bits that make a key unguessable: sixteen random letters and digits have more. */
const enoughBits = 48

/** Upper bound, by its length and distinct characters: a word has far less. The key itself is never repeated. */
const bitsOf = (secret: string): number => secret.length * Math.log2(new Set(secret).size)

function guessableKeys(declaration: Declaration): string[] {
  return declaration.keys.flatMap(({ key }, index) => {
    if (key === undefined || bitsOf(key.slice('sk-'.length)) >= enoughBits) return []
    const path = ['keys', index, 'key']
    return [
      declaration.refusal(path, `${path.join('.')}: This key is short enough to be guessed; use 20 random characters or more`).message,
    ]
  })
}
