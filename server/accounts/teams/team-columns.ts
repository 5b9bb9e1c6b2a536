/** Parses a team's fields, from the console and parley.yaml alike; and the rows of new teams and members. */
import type { Member, Team } from '#accounts/caller'
import type { Directory } from '#accounts/directory'
import type { NewRecord } from '#accounts/keys'
import { readBounds } from '#accounts/refusals'
import { demandGroup, membership } from '#accounts/users'
import type { NewMember, TeamPatch } from '#shared/console/team'
import { memberIdOf } from '#shared/ids'

/** The row of a new team with default settings. */
export const newTeam = (name: string, { id, at }: NewRecord): Team => ({
  id: `team_${id}`,
  name,
  ...membership({}),
  models: null,
  budget: null,
  limits: null,
  plan: null,
  claim: null,
  enabled: true,
  managed: 'console',
  createdAt: at,
})

/** The columns set by the given fields; absent fields are left out. `before`: the row they change. Throws `invalid_value`. */
export function teamColumns(directory: Directory, fields: TeamPatch, before?: Team): Partial<Team> {
  const { name, enabled, models, claim, group, groups } = fields
  if (group !== undefined) demandGroup(directory, group, 'group')
  for (const one of groups ?? []) demandGroup(directory, one, 'groups')
  return {
    ...(name !== undefined && { name }),
    ...(enabled !== undefined && { enabled }),
    ...(models !== undefined && { models }),
    ...(claim !== undefined && { claim }),
    ...((group !== undefined || groups !== undefined) && membership(fields, before)),
    ...readBounds(fields),
  }
}

/** The row of a new member. Throws `invalid_value` for an invalid budget. */
export const newMember = (teamId: string, userId: string, { role = 'member', budget }: NewMember, createdAt: Date): Member => ({
  id: memberIdOf(teamId, userId),
  teamId,
  userId,
  role,
  budget: null,
  ...readBounds({ ...(budget && { budget }) }),
  byClaim: false,
  createdAt,
})
