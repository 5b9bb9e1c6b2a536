/**
 * Applies the teams of parley.yaml. Rows are matched by name; a team that is no longer in the file is disabled, a member that is no longer
 * in its team's row is removed. Nothing is written when nothing changed. Errors carry `INDEX.field` as `param`.
 */
import type { Member, Team } from '#accounts/caller'
import { changes, eachRow, insertsAndUpdates, type Step } from '#accounts/declared-changes'
import type { Directory } from '#accounts/directory'
import { newRecord } from '#accounts/keys'
import { invalid, nameTaken, readUsd, uniquely } from '#accounts/refusals'
import type { Clock, Random } from '#runtime/clock'
import { theFile } from '#shared/console/audit'
import type { DeclaredTeam } from '#shared/console/team'
import { GatewayError } from '#shared/errors'
import { noteAll, onRecord } from '#store/accounts/audit'
import { deleteTeamMember, insertTeamMembers, insertTeams, postTeamOpenings, updateTeam, updateTeamMember } from '#store/accounts/teams'
import type { Store } from '#store/engine/store'
import { newMember, newTeam, teamColumns } from './team-columns.ts'
import { teamMoneyNote, writeMembers, writeTeams } from './team-writes.ts'

/** Call it with all rows of the file, after its groups and users. Throws `name_taken`, `invalid_value`. */
export interface DeclaredTeams {
  declareTeams(rows: readonly DeclaredTeam[]): Promise<void>
}

interface Checked {
  row: DeclaredTeam
  fresh: Team
  known: Team | undefined
  members: Member[]
  /** Initial balance in nano-dollars. */
  amount: bigint
}

/** Applies declared teams to the store. */
export function createDeclaredTeams(parts: { store: Store; directory: Directory; clock: Clock; random: Random }): DeclaredTeams {
  const { store, directory, clock, random } = parts
  const now = () => new Date(clock.now())

  function checked(row: DeclaredTeam): Checked {
    const known = directory.teamNamed(row.name)?.team
    if (known?.managed === 'console')
      throw new GatewayError('name_taken', 'A team of this name was already created in the console. Rename or delete one of the two.', {
        param: 'name',
      })
    const { members: listed = [], balance = '0', ...fields } = row
    const asNew = { ...newTeam(row.name, newRecord(clock, random)), ...teamColumns(directory, fields), managed: 'file' as const }
    const fresh = known ? { ...asNew, id: known.id, createdAt: known.createdAt } : asNew
    const members = listed.map((one, index) => {
      const user = directory.userNamed(one.user)
      if (user === undefined) throw invalid(`members.${index}.user`, 'a user that exists')
      return newMember(fresh.id, user.id, one, now())
    })
    if (new Set(members.map(({ id }) => id)).size < members.length) throw nameTaken('members')
    return { row, fresh, known, members, amount: readUsd(balance, 'balance') }
  }

  function teamStep({ fresh, known }: Checked): Step<Team> | undefined {
    if (known === undefined) return { fresh }
    // Its plan is set elsewhere.
    const { plan: _, ...wanted } = fresh
    const columns = changes(wanted, known)
    return columns && { id: known.id, columns }
  }

  async function writeTeamSteps(steps: readonly Step<Team>[]): Promise<void> {
    const { fresh, changed, deeds } = insertsAndUpdates('team', steps, ({ id }) => id)
    if (deeds.length === 0) return
    await uniquely(
      writeTeams(store, theFile, deeds, async (store) => {
        await insertTeams(store, fresh)
        for (const { id, columns } of changed) await updateTeam(store, id, columns)
      }),
    )
  }

  function memberStep(wanted: Member): Step<Member> | undefined {
    const known = directory.members.get(wanted.id)
    if (known === undefined) return { fresh: wanted }
    const { role, budget } = wanted
    const columns = changes({ role, budget }, known)
    return columns && { id: known.id, columns }
  }

  async function writeMemberSteps(teams: readonly Checked[]): Promise<void> {
    const wanted = teams.flatMap(({ members }) => members)
    const [ids, ofFile] = [new Set(wanted.map(({ id }) => id)), new Set(teams.map(({ fresh }) => fresh.id))]
    const left = [...directory.members.all()].filter(({ id, teamId }) => ofFile.has(teamId) && !ids.has(id))
    const { fresh, changed, deeds } = insertsAndUpdates(
      'member',
      wanted.flatMap((one) => memberStep(one) ?? []),
      ({ id }) => id,
    )
    const gone = left.map(({ id }) => ({ action: 'member.remove', target: id }))
    if (deeds.length + gone.length === 0) return
    await writeMembers(store, theFile, [...deeds, ...gone], async (store) => {
      for (const { id } of left) await deleteTeamMember(store, id)
      await insertTeamMembers(store, fresh)
      for (const { id, columns } of changed) await updateTeamMember(store, id, columns)
    })
  }

  async function giveOpenings(teams: readonly Checked[]): Promise<void> {
    const opened = teams.filter(({ amount }) => amount > 0n)
    if (opened.length === 0) return
    const grantOf = ({ amount }: Checked) => ({ amount, actor: theFile.id, reason: 'opening balance', at: now() })
    await onRecord(store, async (store) => {
      const posted = new Set(await postTeamOpenings(store, new Map(opened.map((one) => [one.fresh.id, grantOf(one)]))))
      const given = opened.filter(({ fresh }) => posted.has(fresh.id))
      await noteAll(
        store,
        theFile,
        given.map((one) => teamMoneyNote('grant', one.fresh, grantOf(one))),
      )
    })
  }

  return {
    async declareTeams(rows) {
      const teams = eachRow(rows, checked)
      const wanted = new Set(rows.map(({ name }) => name))
      const left = [...directory.teams.all()].filter(({ team }) => team.managed === 'file' && team.enabled && !wanted.has(team.name))
      await writeTeamSteps([
        ...teams.flatMap((one) => teamStep(one) ?? []),
        ...left.map(({ team: { id } }) => ({ id, columns: { enabled: false } })),
      ])
      await writeMemberSteps(teams)
      await giveOpenings(teams)
    },
  }
}
