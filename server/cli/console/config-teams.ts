/** Changes by a file in the form of parley.yaml to teams, their members, and the holders of plans. Pure. */
import type { Declaration } from '#declare/declaration'
import type { DeclaredHold, PlanRow } from '#shared/console/selling'
import type { MemberRow, TeamRow } from '#shared/console/team'
import { byFile, type Change, type Present, type Row, row, same, seg, shown } from './config-change.ts'

/** The team, its members and its plan. Members that the file does not name stay. */
export function teamChanges(
  { name, members = [], balance, plan, ...fields }: Declaration['teams'][number],
  known: TeamRow | undefined,
  present: Present,
): Change[] {
  const first = balance === undefined ? {} : { balance }
  const there = (known && present.members.get(known.id)) ?? []
  return [
    ...row('team', name, known ? fields : { ...fields, ...first }, known),
    ...members.flatMap((member) => memberChange(name, member, there, known?.managed)),
    ...heldPlan('team', name, plan, known, present),
  ]
}

function memberChange(
  team: string,
  { user, ...fields }: NonNullable<Declaration['teams'][number]['members']>[number],
  there: readonly MemberRow[],
  managed: Row['managed'] | undefined,
): Change[] {
  const known = there.find(({ name }) => name === user)
  const before = (known ?? {}) as unknown as Record<string, unknown>
  const changed = Object.fromEntries(Object.entries(fields).filter(([field, value]) => !same(value, before[field])))
  if (known && Object.keys(changed).length === 0) return []
  const path = known ? `/api/teams/:team/members/${seg(known.id)}` : '/api/teams/:team/members'
  return [
    {
      ...{ action: known ? 'change' : 'create', kind: 'member', name: `${user} of ${team}`, fields: shown(changed, before) },
      call: { method: known ? 'PATCH' : 'POST', path, body: known ? changed : { user, ...fields }, team },
      ...(managed === 'file' && { refused: byFile }),
    },
  ]
}

/** A plan to give to a user or team. One without such a line keeps its plan. */
export function heldPlan(
  of: 'user' | 'team',
  name: string,
  wanted: DeclaredHold | undefined,
  known: Row | undefined,
  { held, plans }: Present,
): Change[] {
  const before = known?.id === undefined ? undefined : held.get(known.id)
  if (wanted === undefined || (before?.name === wanted.name && Date.parse(before.until) === Date.parse(wanted.until))) return []
  const plan = before ? `${before.name} until ${before.until}` : null
  return [
    {
      ...{ action: 'change', kind: 'plan of', name: `${of} ${name}` },
      fields: [{ field: 'plan', before: plan, after: `${wanted.name} until ${wanted.until}` }],
      // The id is unknown if the file creates the plan.
      call: { method: 'PUT', path: `/api/${of}s/${seg(name)}/plan`, body: { plan: idOf(plans, wanted.name), until: wanted.until } },
      ...(known?.managed === 'file' && { refused: byFile }),
    },
  ]
}

const idOf = (plans: readonly PlanRow[], name: string) => plans.find((plan) => plan.name === name)?.id ?? name
