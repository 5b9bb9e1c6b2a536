/**
 * parley.yaml, parsed and validated before anything is written. Knows the shape of the file and the position of everything in it;
 * knows no tables and no HTTP. `readDeclaration` is pure; `apply.ts` writes the result.
 */
import type { DeclaredPrice } from '#billing/pricing/prices'
import { checker } from '#shared/check'
import type { NewChannel } from '#shared/console/channel'
import type { GroupFields } from '#shared/console/group'
import type { DeclaredKey } from '#shared/console/key'
import type { NewPlan } from '#shared/console/selling'
import type { DeclaredRouting, Fallback } from '#shared/console/settings'
import type { DeclaredTeam } from '#shared/console/team'
import type { DeclaredUser } from '#shared/console/user'
import type { GatewayError } from '#shared/errors'
import { crossChecks } from './checks.ts'
import { type Problem, refusal } from './problem.ts'
import type { Environment } from './scalar.ts'
import { File } from './schema.ts'
import { type Path, readSource, type Source } from './source.ts'

/** The validated content of the file. */
export interface Declaration {
  groups: { name: string; fields: GroupFields }[]
  channels: NewChannel[]
  prices: DeclaredPrice[]
  plans: NewPlan[]
  users: DeclaredUser[]
  teams: DeclaredTeam[]
  keys: DeclaredKey[]
  fallbacks: Record<string, Fallback>
  routing: DeclaredRouting
  /** An error about the value at a path of the file: `parley.yaml:LINE:COLUMN: message`. */
  refusal(path: Path, message: string): GatewayError
}

const check = checker(File)

/**
 * Parses and validates the file. `file` is its name for messages. Throws GatewayError `invalid_value` whose message has one line per
 * problem, `FILE:LINE:COLUMN: what is wrong`; it never contains values of the file or of the environment.
 */
export function readDeclaration(text: string, env: Environment, file = 'parley.yaml'): Declaration {
  const source = readSource(text, File, env)
  if (source.problems.length > 0) throw refusal(file, source.problems)
  const value = withoutEmpty(source.value)
  if (!check.accepts(value)) throw refusal(file, faults(value, source))
  const problems = crossChecks(value, source)
  if (problems.length > 0) throw refusal(file, problems)
  const { groups = {}, channels = [], prices = {}, plans = [], users = [], teams = [], keys = [], fallbacks = {}, routing = {} } = value
  return {
    groups: Object.entries(groups).map(([name, fields]) => ({ name, fields })),
    channels,
    prices: Object.entries(prices).map(([model, fields]) => ({ model, fields })),
    plans,
    users,
    teams,
    keys,
    fallbacks,
    routing,
    refusal: (path, message) => refusal(file, [{ ...source.placeOf(path), message }]),
  }
}

/** Drops an empty file or a section without content. */
function withoutEmpty(value: unknown): unknown {
  if (value === null || value === undefined) return {}
  if (typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null))
}

function faults(value: unknown, source: Source): Problem[] {
  // Unknown names first: one is usually the misspelling of the missing field next to it.
  const unknownFirst = check.faults(value).toSorted((a, b) => Number(b.code === 'unknown_field') - Number(a.code === 'unknown_field'))
  return unknownFirst.map(({ code, path, message }) => {
    const name = path.at(-1) ?? ''
    if (code === 'unknown_field') return { ...source.placeOfName(path), message: `Unknown field "${name}"` }
    if (code === 'missing_field') return { ...source.placeOf(path.slice(0, -1)), message: `Missing field "${name}"` }
    return { ...source.placeOf(path), message: `${path.join('.') || 'the file'}: ${message}` }
  })
}
