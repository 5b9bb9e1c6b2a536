/** A change that `config plan` shows and `config apply` makes, and how changes of rows are computed. Pure. */
import { isDeepStrictEqual } from 'node:util'
import type { ChannelRow } from '#shared/console/channel'
import type { ManagedGroupRow } from '#shared/console/group'
import type { PriceRow } from '#shared/console/price'
import type { PlanRow, PlanState } from '#shared/console/selling'
import type { SettingsRow } from '#shared/console/settings'
import type { MemberRow, TeamRow } from '#shared/console/team'
import type { AccountRow } from '#shared/console/user'

/** The current state. */
export interface Present {
  groups: readonly ManagedGroupRow[]
  channels: readonly ChannelRow[]
  prices: readonly PriceRow[]
  users: readonly AccountRow[]
  plans: readonly PlanRow[]
  teams: readonly TeamRow[]
  /** By the id of the team. */
  members: ReadonlyMap<string, readonly MemberRow[]>
  /** By the id of the user or team. */
  held: ReadonlyMap<string, PlanState['plan']>
  settings: SettingsRow
}

/** A field that changes; secrets are never shown. */
export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

/** A row that would be created or changed, and the call that does it. */
export interface Change {
  action: 'create' | 'change'
  kind: 'group' | 'channel' | 'price' | 'plan' | 'user' | 'team' | 'member' | 'plan of' | 'fallbacks' | 'routing'
  name: string
  fields: FieldChange[]
  /** `team`: the name of the team whose id stands for `:team` in the path; it may be one that is created before. */
  call: { method: 'POST' | 'PATCH' | 'PUT'; path: string; body: Record<string, unknown>; team?: string }
  /** Why it cannot be done; such a change is not applied. */
  refused?: string
}

/** A segment of a path. */
export const seg = encodeURIComponent
/** Why a row of the file cannot be changed here. */
export const byFile = 'the parley.yaml that this Parley reads manages it'
const secretFields = new Set(['keys', 'password', 'headers'])

/** A row of the console. */
export type Row = { id?: string; name: string; managed: 'file' | 'console' }

/** Kinds whose rows are made and changed alike. */
type RowKind = 'group' | 'channel' | 'plan' | 'user' | 'team'

/** The change of such a row: all fields of a new one, only the differing ones of an existing one. */
export function row(kind: RowKind, name: string, fields: Record<string, unknown>, known: (Row & object) | undefined): Change[] {
  if (known === undefined) {
    const body = { name, ...fields }
    return [{ action: 'create', kind, name, fields: shown(fields, {}), call: { method: 'POST', path: `/api/${kind}s`, body } }]
  }
  const before = known as unknown as Record<string, unknown>
  const changed = Object.fromEntries(Object.entries(fields).filter(([field, value]) => !same(value, before[field])))
  return patch(kind, known, name, changed, before)
}

/** The change of these fields; none without any. */
export function patch(
  kind: RowKind,
  known: Row,
  name: string,
  changed: Record<string, unknown>,
  before: Record<string, unknown>,
): Change[] {
  if (Object.keys(changed).length === 0) return []
  const path = `/api/${kind}s/${seg(kind === 'group' ? name : (known.id ?? ''))}`
  const refused = known.managed === 'file' ? { refused: byFile } : {}
  return [{ action: 'change', kind, name, fields: shown(changed, before), call: { method: 'PATCH', path, body: changed }, ...refused }]
}

/** Equal as values: 1.50 is 1.5, an empty budget is none, and the order of fields does not count. */
export function same(after: unknown, before: unknown): boolean {
  return isDeepStrictEqual(amounts(after) ?? null, amounts(before) ?? null)
}

/** The value with each amount in its shortest form, and null for what is empty. */
export function amounts(value: unknown): unknown {
  if (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value))
    return value
      .replace(/^0+(?=\d)/, '')
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '')
  if (Array.isArray(value)) return value.map(amounts)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  return entries.length === 0 ? null : Object.fromEntries(entries.map(([name, part]) => [name, amounts(part)]))
}

/** The fields as they are shown. */
export function shown(fields: Record<string, unknown>, before: Record<string, unknown>): FieldChange[] {
  return Object.entries(fields).map(([field, after]) =>
    secretFields.has(field)
      ? { field, before: before[field] === undefined ? null : 'set', after: before[field] === undefined ? 'set' : 'changed' }
      : { field, before: before[field] ?? null, after: after ?? null },
  )
}
