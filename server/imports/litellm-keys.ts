/** Keys of LiteLLM's database: stored as the SHA-256 of the secret, as here, so clients keep theirs. Pure. */
import type { DeclaredKey } from '#shared/console/key'
import type { DeclaredTeam } from '#shared/console/team'
import { type LiteLlmUsers, uiTeam } from './litellm-people.ts'
import { type AddRemark, allowed, allowedByBoth, limitsOf, noteUnknownFields, type Row, spendingOf, textOf } from './litellm-rows.ts'
import { columns, commonColumns, type LiteLlmContext } from './litellm-tables.ts'
import { uniqueNames } from './moved.ts'

const keyColumns = columns(
  'token key_name key_alias user_id team_id blocked expires budget_id last_active rotation_count last_rotation_at soft_budget_cooldown',
  commonColumns,
)

/** The keys. Owners of a team's key become its members in `teams`. */
export function liteLlmKeys(context: LiteLlmContext, people: LiteLlmUsers, teams: ReadonlyMap<string, DeclaredTeam>): DeclaredKey[] {
  const nameOf = uniqueNames()
  const rows = context.of('LiteLLM_VerificationToken')
  const own = rows.filter((row) => textOf(row.team_id) !== uiTeam)
  const keys = own.flatMap((row) => {
    const name = nameOf(textOf(row.key_alias) || textOf(row.key_name) || `key ${textOf(row.token).slice(0, 8)}`)
    return keyOf(row, name, { context, people, teams }) ?? []
  })
  const uiSessions = rows.length - own.length
  if (uiSessions > 0) context.remarksOn('keys')('team_id', `${uiSessions} are sessions of its own UI: left out`)
  return keys
}

interface Owners {
  context: LiteLlmContext
  people: LiteLlmUsers
  teams: ReadonlyMap<string, DeclaredTeam>
}

/** Undefined for one that cannot be imported. */
function keyOf(row: Row, name: string, { context, people, teams }: Owners): DeclaredKey | undefined {
  const remark = context.remarksOn(`key ${name}`)
  const secret = secretOf(textOf(row.token))
  if (secret === undefined) return void remark('token', 'is neither a SHA-256 nor a key: left out')
  const teamId = textOf(row.team_id)
  const team = teams.get(teamId)
  if (teamId !== '' && team === undefined) return void remark('team_id', 'names a team that was not imported: left out')
  const holder = people.holders.get(textOf(row.user_id))
  const user = holder?.name ?? withoutOwner(people, remark)
  if (team && !team.members?.some((member) => member.user === user)) team.members?.push({ user, role: 'member' })
  const models = team ? allowed(row.models) : allowedByBoth(allowed(row.models), holder?.models)
  const { budget } = spendingOf(row, context.budgetOf(row), remark)
  const limits = limitsOf(row, context.budgetOf(row), remark)
  noteUnknownFields(row, keyColumns, remark)
  return {
    name,
    user,
    ...(team && { team: team.name }),
    ...secret,
    ...(models && { models }),
    ...(row.expires ? { expiresAt: new Date(row.expires as string).toISOString() } : {}),
    ...(row.blocked === true && { enabled: false }),
    ...(budget && { budget }),
    ...(limits && { limits }),
  }
}

function secretOf(token: string): { digest: string } | { key: string } | undefined {
  if (/^[0-9a-f]{64}$/.test(token)) return { digest: token }
  return /^sk-[\x21-\x7e]{8,200}$/.test(token) ? { key: token } : undefined
}

function withoutOwner(people: LiteLlmUsers, remark: AddRemark): string {
  const name = people.nobody()
  remark('user_id', `belongs to no user there: given to the user ${name}`)
  return name
}
