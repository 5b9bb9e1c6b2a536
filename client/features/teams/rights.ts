/** The user's rights in a team. The server enforces them; here they only hide buttons that would be refused. */
import type { MemberRow, TeamRow } from '#shared/console/team'
import { type TeamRole, teamRoles } from '#shared/ids'

/** The user's rights in a team. */
export interface Rights {
  /** Administrators of the installation: credit, settings, deletion. */
  canAdminister: boolean
  seesAll: boolean
  /** Keys, members and caps. */
  canManage: boolean
  /** Creates keys. */
  canSpend: boolean
  /** Whether the user may change members with this role, or assign it. */
  canManageRole(role: TeamRole): boolean
}

/** The rights of this user. */
export function rightsIn(team: TeamRow, admin: boolean): Rights {
  const role = admin ? 'owner' : team.role
  const open = team.managed === 'console'
  const canManage = open && (role === 'owner' || role === 'manager')
  return {
    canAdminister: admin && open,
    seesAll: role === 'owner' || role === 'manager' || role === 'accountant',
    canManage,
    canSpend: role !== null && role !== 'accountant',
    canManageRole: (other) => canManage && (role === 'owner' || other === 'member' || other === 'accountant'),
  }
}

/** The spent share of the monthly cap, 0 or more; undefined without one. */
export function shareOf({ budget, budgetLeft }: Pick<MemberRow, 'budget' | 'budgetLeft'>): number | undefined {
  const cap = Number(budget?.monthly)
  if (!(cap > 0)) return budget?.monthly === undefined ? undefined : 1
  return 1 - Number(budgetLeft?.monthly ?? cap) / cap
}

/** By role, highest first, then by name. */
export const inOrder = (members: readonly MemberRow[]): MemberRow[] =>
  members.toSorted((a, b) => teamRoles.indexOf(a.role) - teamRoles.indexOf(b.role) || a.name.localeCompare(b.name))
