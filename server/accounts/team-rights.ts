/**
 * What users may do in a team. Administrators of the installation may do everything in every team but spend: for that they must be
 * members. Others who are not members get the same answer as for a team that does not exist.
 */
import { memberIdOf, type TeamRole } from '#shared/ids'
import type { Member, User } from './caller.ts'
import type { Directory } from './directory.ts'
import { notFound, notPermittedInTeam } from './refusals.ts'

/** Whether this member may spend the team's money. */
export const maySpend = (member: Member | undefined): boolean => member !== undefined && member.role !== 'accountant'

/** The user's role there: administrators count as owners; undefined for other non-members, or if there is no such team. */
export function roleIn({ teams, members }: Directory, user: User, teamId: string): TeamRole | undefined {
  if (teams.get(teamId) === undefined) return undefined
  return user.role === 'admin' ? 'owner' : members.get(memberIdOf(teamId, user.id))?.role
}

/** Whether this role manages keys, members and caps. */
export const manages = (role: TeamRole | undefined): boolean => role === 'owner' || role === 'manager'

/** Whether this role sees what all members do. */
export const seesAll = (role: TeamRole | undefined): boolean => manages(role) || role === 'accountant'

/** Throws `not_found` for non-members, and `not_permitted` for a role that manages nothing. */
export function demandManager(directory: Directory, user: User, teamId: string): TeamRole {
  const role = roleIn(directory, user, teamId)
  if (role === undefined) throw notFound()
  if (!manages(role)) throw notPermittedInTeam()
  return role
}

/** Managers manage members and accountants; owners everyone. */
export const mayRun = (by: TeamRole, other: TeamRole): boolean => by === 'owner' || other === 'member' || other === 'accountant'
