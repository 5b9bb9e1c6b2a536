/** Writes to teams and members, each with its entry in the audit trail. */
import type { Verb } from '#accounts/caller'
import type { Actor } from '#shared/console/audit'
import { formatUsd } from '#shared/money'
import { auditedAll, type Deed, type Note } from '#store/accounts/audit'
import { loadTeamMembers, loadTeams } from '#store/accounts/teams'
import { type Grant, loadUsers } from '#store/accounts/users'
import type { Store } from '#store/engine/store'

/** Runs a write to several teams and records each in the audit trail. */
export function writeTeams<T>(store: Store, by: Actor, deeds: readonly Deed[], write: (store: Store) => Promise<T>): Promise<T> {
  const look = async (store: Store, ids: readonly string[]) => new Map((await loadTeams(store, ids)).map((row) => [row.id, row]))
  return auditedAll(store, by, deeds, look, write)
}

/** Runs a write to one team and records it in the audit trail. */
export const writeTeam = <T>(store: Store, by: Actor, verb: Verb, id: string, write: (store: Store) => Promise<T>): Promise<T> =>
  writeTeams(store, by, [{ action: `team.${verb}`, target: id }], write)

/** Runs a write to several members and records each in the audit trail, under the name of its user. */
export function writeMembers<T>(store: Store, by: Actor, deeds: readonly Deed[], write: (store: Store) => Promise<T>): Promise<T> {
  const look = async (store: Store, ids: readonly string[]) => {
    const rows = await loadTeamMembers(store, ids)
    const users = rows.map(({ userId }) => userId)
    const names = new Map((await loadUsers(store, users)).map(({ id, name }) => [id, name]))
    return new Map(rows.map((row) => [row.id, { ...row, name: names.get(row.userId) ?? row.userId }]))
  }
  return auditedAll(store, by, deeds, look, write)
}

/** Runs a write to one member and records it in the audit trail. */
export const writeMember = <T>(store: Store, by: Actor, verb: Verb, id: string, write: (store: Store) => Promise<T>): Promise<T> =>
  writeMembers(store, by, [{ action: `member.${verb}`, target: id }], write)

/** The audit entry for money given to or withdrawn from a team. */
export const teamMoneyNote = (how: 'grant' | 'credit', { id, name }: { id: string; name: string }, { amount, reason }: Grant): Note => ({
  action: `team.${how}`,
  target: id,
  name,
  after: { amount: formatUsd(amount), reason },
})
