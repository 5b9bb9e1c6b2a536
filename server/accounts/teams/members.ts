/** Members of teams, and their caps. Managers change them, each role those below it (`mayRun`). */
import type { Member, User } from '#accounts/caller'
import type { Directory } from '#accounts/directory'
import { demandConsole, invalid, nameTaken, notFound, notPermittedInTeam, readBounds, uniquely } from '#accounts/refusals'
import { demandManager, mayRun, roleIn, seesAll } from '#accounts/team-rights'
import type { Clock } from '#runtime/clock'
import type { Actor } from '#shared/console/audit'
import type { MemberPatch, MemberRow, NewMember } from '#shared/console/team'
import { memberIdOf } from '#shared/ids'
import { formatUsd } from '#shared/money'
import { deleteTeamMember, insertTeamMembers, updateTeamMember } from '#store/accounts/teams'
import type { Store } from '#store/engine/store'
import { readMembersSpent } from '#store/ledger/budgets-left'
import { newMember } from './team-columns.ts'
import { writeMember } from './team-writes.ts'

/** Reads and changes the members of teams. Every call throws `not_found` for a team that the user does not belong to. */
export interface Members {
  /** All of them for roles that see all; for others only their own membership. */
  seenBy(user: User, teamId: string): Member[]
  /** The rows in the same order, with one query for the spend. */
  rows(members: readonly Member[]): Promise<MemberRow[]>
  /** Throws `not_permitted`, `managed_by_file`, `invalid_value`, and `name_taken` for an existing member. */
  add(by: User & Actor, teamId: string, fields: NewMember): Promise<Member>
  /** Role and cap. Throws `not_permitted`, `managed_by_file`, `not_found`, `invalid_value`. */
  change(by: User & Actor, teamId: string, userId: string, fields: MemberPatch): Promise<Member>
  /** The keys that the member created stay the team's. Throws `not_permitted`, `managed_by_file`, `not_found`. */
  remove(by: User & Actor, teamId: string, userId: string): Promise<void>
}

/** Members over the store and the directory. */
export function createMembers({ store, directory, clock }: { store: Store; directory: Directory; clock: Clock }): Members {
  /** Throws unless the user manages this team and the console may change it. */
  function demandRunning(by: User, teamId: string) {
    const role = demandManager(directory, by, teamId)
    const team = directory.teams.get(teamId)?.team
    if (team) demandConsole(team)
    return role
  }

  function memberOf(teamId: string, userId: string): Member {
    const member = directory.members.get(memberIdOf(teamId, userId))
    if (member === undefined) throw notFound()
    return member
  }

  return {
    seenBy(user, teamId) {
      const role = roleIn(directory, user, teamId)
      if (role === undefined) throw notFound()
      const all = [...directory.members.all()].filter((member) => member.teamId === teamId)
      return seesAll(role) ? all : all.filter(({ userId }) => userId === user.id)
    },
    async rows(members) {
      const now = new Date(clock.now())
      const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
      const spent = await readMembersSpent(
        store,
        members.map(({ id }) => id),
        month,
      )
      return members.map(({ id, userId, role, budget, createdAt }) => ({
        id: userId,
        name: directory.users.get(userId)?.name ?? '',
        role,
        budget,
        spent: formatUsd(spent.get(id) ?? 0n),
        createdAt: createdAt.toISOString(),
      }))
    },
    async add(by, teamId, fields) {
      const role = demandRunning(by, teamId)
      const user = directory.users.get(fields.user) ?? directory.userNamed(fields.user)
      if (user === undefined) throw invalid('user', 'the id or the name of a user')
      const row = newMember(teamId, user.id, fields, new Date(clock.now()))
      if (!mayRun(role, row.role)) throw notPermittedInTeam()
      if (directory.members.get(row.id) !== undefined) throw nameTaken('user')
      await uniquely(
        writeMember(store, by, 'create', row.id, (store) => insertTeamMembers(store, [row])),
        () => nameTaken('user'),
      )
      return memberOf(teamId, user.id)
    },
    async change(by, teamId, userId, fields) {
      const own = demandRunning(by, teamId)
      const { id, role } = memberOf(teamId, userId)
      if (!mayRun(own, role) || !mayRun(own, fields.role ?? role)) throw notPermittedInTeam()
      const columns = { ...(fields.role !== undefined && { role: fields.role }), ...readBounds(fields) }
      await writeMember(store, by, 'change', id, (store) => updateTeamMember(store, id, columns))
      return memberOf(teamId, userId)
    },
    async remove(by, teamId, userId) {
      const own = demandRunning(by, teamId)
      const { id, role } = memberOf(teamId, userId)
      if (!mayRun(own, role)) throw notPermittedInTeam()
      await writeMember(store, by, 'remove', id, (store) => deleteTeamMember(store, id))
    },
  }
}
