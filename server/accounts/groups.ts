/** Groups: who may use what, at which price ratio. The group `default` is always there. */

import type { Clock } from '#runtime/clock'
import type { GroupFields, GroupRow } from '#shared/console/group'
import { GatewayError } from '#shared/errors'
import { formatRatio } from '#shared/money'
import { deleteGroup, type GroupRecord, insertGroup, updateGroup } from '#store/groups'
import type { Store } from '#store/store'
import type { Group, Managed } from './caller.ts'
import type { Directory } from './directory.ts'
import { demandConsole, nameTaken, notFound, readBounds, readRatio } from './refusals.ts'

export const defaultGroup = 'default'
const ratioOfOne = 1_000_000n

export interface Groups {
  /** Undefined for one that is unknown or that left parley.yaml. */
  get(name: string): Group | undefined
  all(): IterableIterator<Group>
  row(group: Group): GroupRow
  /** Throws `name_taken`, `invalid_value`. */
  create(fields: GroupFields & { name: string }): Promise<Group>
  /** Throws `not_found`, `managed_by_file`, `invalid_value`. */
  change(name: string, fields: GroupFields): Promise<Group>
  /** Throws `not_found`, `managed_by_file`, and `still_in_use` while a user or a key has it. */
  remove(name: string): Promise<void>
}

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
    for (const { key } of directory.keys.all()) if (key.group === name) return true
    return false
  }

  return {
    get(name) {
      const group = directory.groups.get(name)
      return group?.enabled ? group : undefined
    },
    all: () => directory.groups.all(),
    row: ({ name, description, ratio }) => ({ name, description, ratio: formatRatio(ratio) }),
    async create({ name, ...fields }) {
      if (!(await insertGroup(store, newGroup(name, fields, 'console', new Date(clock.now()))))) throw nameTaken()
      return written(name)
    },
    async change(name, fields) {
      writable(name)
      await updateGroup(store, name, columnsOf(fields))
      return written(name)
    },
    async remove(name) {
      writable(name)
      if (inUse(name)) throw new GatewayError('still_in_use', 'Users or keys are still in this group. Move them first.')
      await deleteGroup(store, name)
    },
  }
}

/** A complete row, with what the fields leave open filled in. */
export function newGroup(name: string, fields: GroupFields, managed: Managed, createdAt: Date): GroupRecord {
  const row = { name, description: '', ratio: ratioOfOne, budget: null, limits: null, enabled: true, managed, createdAt }
  return { ...row, ...columnsOf(fields) }
}

function columnsOf(fields: GroupFields): Partial<GroupRecord> {
  return {
    ...(fields.description !== undefined && { description: fields.description }),
    ...(fields.ratio !== undefined && { ratio: readRatio(fields.ratio, 'ratio') }),
    ...readBounds(fields),
  }
}
