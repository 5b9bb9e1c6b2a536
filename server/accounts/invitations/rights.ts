/** Who may create which invitation, and who sees it. */
import type { User } from '#accounts/caller'
import type { Directory } from '#accounts/directory'
import { defaultGroup } from '#accounts/groups'
import { demandConsole, notFound, notPermittedInTeam } from '#accounts/refusals'
import { manages, mayRun, roleIn } from '#accounts/team-rights'
import { GatewayError } from '#shared/errors'
import type { InvitationRecord } from '#store/accounts/invitations'

/** What an invitation grants. */
export type Promised = Pick<InvitationRecord, 'role' | 'group' | 'teamId' | 'teamRole'>

/** Throws unless the user may create such an invitation now: `not_found`, `not_permitted`, `managed_by_file`. */
export function demandMay(directory: Directory, by: User, { role, group, teamId, teamRole }: Promised): void {
  const own = teamId === null ? undefined : roleIn(directory, by, teamId)
  if (teamId !== null) {
    const team = directory.teams.get(teamId)?.team
    if (own === undefined || team === undefined) throw notFound()
    if (!manages(own) || !mayRun(own, teamRole ?? 'member')) throw notPermittedInTeam()
    demandConsole(team)
  }
  if (by.role === 'admin') return
  if (teamId === null) throw new GatewayError('not_permitted', 'Only administrators may invite without a team.')
  if (role !== 'user' || group !== defaultGroup) {
    throw new GatewayError('not_permitted', 'Only administrators may set the role or group of an invitation.')
  }
}

/** Whether the user sees the invitation and may end it. */
export const maySee = (directory: Directory, user: User, { teamId }: Pick<Promised, 'teamId'>): boolean =>
  user.role === 'admin' || (teamId !== null && manages(roleIn(directory, user, teamId)))

/** Ids of the teams that the user manages as a member. */
export const teamsRunBy = (directory: Directory, user: User): string[] =>
  [...directory.members.all()].flatMap(({ teamId, userId }) =>
    userId === user.id && manages(roleIn(directory, user, teamId)) ? teamId : [],
  )
