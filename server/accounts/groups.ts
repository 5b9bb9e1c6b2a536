/** Groups: sets of channels and their users, with a price ratio. The group `default` always exists. */

import type { Clock } from '#runtime/clock'
import type { Actor } from '#shared/console/audit'
import type { GroupPatch, GroupRow, ManagedGroup } from '#shared/console/group'
import { GatewayError } from '#shared/errors'
import { formatRatio } from '#shared/money'
import { auditedAll, type Deed } from '#store/accounts/audit'
import { deleteGroup, type GroupRecord, insertGroup, loadGroups, updateGroup } from '#store/accounts/groups'
import type { Store } from '#store/engine/store'
import type { Group, Managed, User, Verb } from './caller.ts'
import { type Directory, groupExists, usableGroup } from './directory.ts'
import { demandConsole, invalid, nameTaken, notFound, readBounds, readRatio } from './refusals.ts'

/** The group that always exists. */
export const defaultGroup = 'default'
const ratioOfOne = 1_000_000n

/** Reads and changes groups. */
export interface Groups {
  /** Undefined for an unknown group and for one that is off. */
  get(name: string): Group | undefined
  /** Whether one of this name exists, on or off. */
  exists(name: string): boolean
  all(): IterableIterator<Group>
  row(group: Group): GroupRow
  /** The row as the console shows it to this administrator. */
  managedRow(group: Group, reader: User): ManagedGroup
  /** Throws `name_taken`, `invalid_value`. */
  create(by: Actor, fields: GroupPatch & { name: string }): Promise<Group>
  /** Throws `not_found`, `managed_by_file`, `invalid_value`. */
  change(by: Actor, name: string, fields: GroupPatch): Promise<Group>
  /** Throws `not_found`, `managed_by_file`, and `still_in_use` while a user, a team or a key has it. */
  remove(by: Actor, name: string): Promise<void>
}

/** Groups over the store and the directory. */
export function createGroups(parts: { store: Store; directory: Directory; clock: Clock }): Groups {
  const { store, directory, clock } = parts

  function writable(name: string): Group {
    const group = directory.groups.get(name)
    if (group === undefined) throw notFound()
    demandConsole(group)
    return group
  }

  function written(name: string): Group {
    const group = directory.groups.get(name)
    if (group === undefined) throw notFound()
    return group
  }

  function inUse(name: string): boolean {
    if (name === defaultGroup) return true
    for (const user of directory.users.all()) if (user.groups.includes(name)) return true
    for (const { team } of directory.teams.all()) if (team.groups.includes(name)) return true
    for (const { key } of directory.keys.all()) if (key.group === name) return true
    return false
  }

  return {
    get(name) {
      const group = directory.groups.get(name)
      return group?.enabled ? group : undefined
    },
    exists: (name) => groupExists(directory, name),
    all: () => directory.groups.all(),
    row: groupRow,
    managedRow(group, reader) {
      const { name, enabled, managed, keepBodies, budget, limits, fallbacks } = group
      return {
        ...groupRow(group),
        usable: usableGroup(directory, reader, name) !== undefined,
        enabled,
        managed,
        logBodies: keepBodies ?? false,
        budget,
        limits,
        fallbacks: fallbacks ?? {},
      }
    },
    async create(by, { name, ...fields }) {
      const row = newGroup(name, fields, 'console', new Date(clock.now()))
      if (!(await writeGroup(store, by, 'create', name, (store) => insertGroup(store, row)))) throw nameTaken()
      return written(name)
    },
    async change(by, name, fields) {
      writable(name)
      const columns = columnsOf(name, fields)
      await writeGroup(store, by, 'change', name, (store) => updateGroup(store, name, columns))
      return written(name)
    },
    async remove(by, name) {
      writable(name)
      if (inUse(name)) throw new GatewayError('still_in_use', 'Users or keys are still in this group. Move them first.')
      await writeGroup(store, by, 'remove', name, (store) => deleteGroup(store, name))
    },
  }
}

/** Runs a write to one group and records it in the audit trail. */
function writeGroup<T>(store: Store, by: Actor, verb: Verb, name: string, write: (store: Store) => Promise<T>): Promise<T> {
  return writeGroups(store, by, [{ action: `group.${verb}`, target: name }], write)
}

/** Runs a write to several groups and records each in the audit trail. */
export function writeGroups<T>(store: Store, by: Actor, deeds: readonly Deed[], write: (store: Store) => Promise<T>): Promise<T> {
  const look = async (store: Store, names: readonly string[]) => {
    const rows = await loadGroups(store, names)
    return new Map(rows.map((row) => [row.name, { ...row, ratio: formatRatio(row.ratio) }]))
  }
  return auditedAll(store, by, deeds, look, write)
}

function groupRow({ name, description, ratio }: Group): GroupRow {
  return { name, description, ratio: formatRatio(ratio) }
}

/** A complete row, with defaults for absent fields. */
export function newGroup(name: string, fields: GroupPatch, managed: Managed, createdAt: Date): GroupRecord {
  const row = {
    ...{ name, description: '', ratio: ratioOfOne, enabled: true, managed, createdAt },
    ...{ keepBodies: null, budget: null, limits: null, fallbacks: null },
  }
  return { ...row, ...columnsOf(name, fields) }
}

/** Throws `invalid_value`; the group `default` is always on. */
function columnsOf(name: string, fields: GroupPatch): Partial<GroupRecord> {
  if (name === defaultGroup && fields.enabled === false) throw invalid('enabled', 'true: the group `default` is always on')
  return {
    ...(fields.enabled !== undefined && { enabled: fields.enabled }),
    ...(fields.description !== undefined && { description: fields.description }),
    ...(fields.logBodies !== undefined && { keepBodies: fields.logBodies || null }),
    ...(fields.ratio !== undefined && { ratio: readRatio(fields.ratio, 'ratio') }),
    ...(fields.fallbacks !== undefined && { fallbacks: Object.keys(fields.fallbacks).length > 0 ? fields.fallbacks : null }),
    ...readBounds(fields),
  }
}
