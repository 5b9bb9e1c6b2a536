/** What the reader may do in a team, as the server decides it; here only to show no button that would be refused. */
import type { MemberRow, TeamRow } from '#shared/console/team'
import { type TeamRole, teamRoles } from '#shared/ids'

/** The reader's rights in a team. */
export interface Rights {
  /** Administrators of the house: credit, settings, an end. */
  house: boolean
  seesAll: boolean
  /** Keys, members and caps. */
  runs: boolean
  /** Makes keys. */
  spends: boolean
  /** Whether the reader changes somebody in this role, or makes somebody one. */
  mayRun(role: TeamRole): boolean
}

/** The rights of this reader. */
export function rightsIn(team: TeamRow, admin: boolean): Rights {
  const role = admin ? 'owner' : team.role
  const open = team.managed === 'console'
  const runs = open && (role === 'owner' || role === 'manager')
  return {
    house: admin && open,
    seesAll: role === 'owner' || role === 'manager' || role === 'accountant',
    runs,
    spends: role !== null && role !== 'accountant',
    mayRun: (other) => runs && (role === 'owner' || other === 'member' || other === 'accountant'),
  }
}

/** How much of the monthly cap is spent, from 0 on; undefined without one. */
export function shareOf({ budget, budgetLeft }: Pick<MemberRow, 'budget' | 'budgetLeft'>): number | undefined {
  const cap = Number(budget?.monthly)
  if (!(cap > 0)) return budget?.monthly === undefined ? undefined : 1
  return 1 - Number(budgetLeft?.monthly ?? cap) / cap
}

/** Those who run the team first, by name where they may the same. */
export const inOrder = (members: readonly MemberRow[]): MemberRow[] =>
  members.toSorted((a, b) => teamRoles.indexOf(a.role) - teamRoles.indexOf(b.role) || a.name.localeCompare(b.name))
