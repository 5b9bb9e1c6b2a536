/**
 * Teams. Administrators create, change, credit and remove them; members see their team, and managers handle members
 * and caps (`members.ts`) and keys (`server/accounts/keys.ts`). The rules are in `server/accounts/team-rights.ts`.
 */
import type { Team, User } from '#accounts/caller'
import type { Directory } from '#accounts/directory'
import { newRecord, writeKeys } from '#accounts/keys'
import { demandConsole, notFound, notPermittedInTeam, readUsd, uniquely } from '#accounts/refusals'
import { roleIn, seesAll } from '#accounts/team-rights'
import { type EntriesAsked, entriesOf, readCredit, refusedCredit } from '#accounts/wallets'
import type { Clock, Random } from '#runtime/clock'
import type { Actor } from '#shared/console/audit'
import type { Page } from '#shared/console/model'
import type { NewTeam, TeamPatch, TeamRow } from '#shared/console/team'
import type { Credit, EntryRow } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { memberIdOf } from '#shared/ids'
import { formatUsd } from '#shared/money'
import { note } from '#store/accounts/audit'
import { loadKeysOf } from '#store/accounts/keys'
import { deleteTeam, insertTeams, loadMembersOf, postTeamOpenings, updateTeam } from '#store/accounts/teams'
import { postCredit } from '#store/accounts/users'
import type { Store } from '#store/engine/store'
import { readWallets } from '#store/ledger/ledger'
import { newTeam, teamColumns } from './team-columns.ts'
import { teamMoneyNote, writeMembers, writeTeam } from './team-writes.ts'

/** Reads and changes teams. Permissions are checked here, except for calls that the routes restrict to administrators. */
export interface Teams {
  /** The teams that the user may see: their own; all for administrators. */
  seenBy(user: User): Team[]
  /** Throws `not_found` for a team that the user may not see. */
  find(user: User, id: string): Team
  /** The rows as this user sees them, in the same order, with one query for the balances. */
  rows(user: User, teams: readonly Team[]): Promise<TeamRow[]>
  /** For administrators. Throws `name_taken`, `invalid_value`. */
  create(by: Actor, fields: NewTeam): Promise<Team>
  /** For administrators. Throws `not_found`, `managed_by_file`, `name_taken`, `invalid_value`. */
  change(by: Actor, id: string, fields: TeamPatch): Promise<Team>
  /** For administrators. Its keys and members are removed too; the wallet and its entries stay. Throws as `change` does. */
  remove(by: Actor, id: string): Promise<void>
  /** For administrators. Posts money once per idempotency key. Throws `not_found`, `invalid_value`, `idempotency_conflict`. */
  credit(by: Actor, id: string, key: string, credit: Credit): Promise<Team>
  /** The entries of a team's wallet, newest first, for roles that see all. Throws `not_found`, `not_permitted`, `invalid_value`. */
  entries(by: User, id: string, asked: EntriesAsked): Promise<Page<EntryRow>>
}

/** What `createTeams` needs. */
export interface TeamsParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
}

/** Teams over the store and the directory. */
export function createTeams({ store, directory, clock, random }: TeamsParts): Teams {
  function known(id: string): Team {
    const team = directory.teams.get(id)?.team
    if (team === undefined) throw notFound()
    return team
  }

  function writable(id: string): Team {
    const team = known(id)
    demandConsole(team)
    return team
  }

  function find(user: User, id: string): Team {
    if (roleIn(directory, user, id) === undefined) throw notFound()
    return known(id)
  }

  return {
    seenBy: (user) => [...directory.teams.all()].flatMap(({ team }) => (roleIn(directory, user, team.id) === undefined ? [] : team)),
    find,
    async rows(user, teams) {
      const wallets = await readWallets(
        store.db,
        teams.map(({ id }) => id),
      )
      const sizes = new Map<string, number>()
      for (const { teamId } of directory.members.all()) sizes.set(teamId, (sizes.get(teamId) ?? 0) + 1)
      return teams.map(({ id, groups, models, createdAt, plan: _, ...team }) => ({
        id,
        ...team,
        groups: [...groups],
        models: models === null ? null : [...models],
        createdAt: createdAt.toISOString(),
        balance: formatUsd(wallets.get(id)?.balance ?? 0n),
        held: formatUsd(wallets.get(id)?.held ?? 0n),
        members: sizes.get(id) ?? 0,
        role: directory.members.get(memberIdOf(id, user.id))?.role ?? null,
      }))
    },
    async create(by, { balance, ...fields }) {
      const team = { ...newTeam(fields.name, newRecord(clock, random)), ...teamColumns(directory, fields) }
      const amount = balance === undefined ? 0n : readUsd(balance, 'balance')
      const opening = { amount, actor: by.id, reason: 'opening balance', at: team.createdAt }
      await uniquely(
        writeTeam(store, by, 'create', team.id, async (store) => {
          await insertTeams(store, [team])
          if (amount === 0n) return
          await postTeamOpenings(store, new Map([[team.id, opening]]))
          await note(store, by, teamMoneyNote('grant', team, opening))
        }),
      )
      return known(team.id)
    },
    async change(by, id, fields) {
      const columns = teamColumns(directory, fields, writable(id))
      await uniquely(writeTeam(store, by, 'change', id, (store) => updateTeam(store, id, columns)))
      return known(id)
    },
    async remove(by, id) {
      writable(id)
      await writeTeam(store, by, 'remove', id, async (store) => {
        const members = (await loadMembersOf(store, id)).map((member) => ({ action: 'member.remove', target: member.id }))
        const keys = (await loadKeysOf(store, id)).map((key) => ({ action: 'key.remove', target: key.id }))
        await writeMembers(store, by, members, (store) => writeKeys(store, by, keys, (store) => deleteTeam(store, id)))
      })
    },
    async credit(by, id, key, credit) {
      const team = known(id)
      const grant = readCredit(by, credit, clock)
      const beside = (store: Store) => note(store, by, teamMoneyNote('credit', team, grant))
      const result = await postCredit(store, id, key, grant, beside).catch((thrown: unknown) => {
        throw refusedCredit(thrown)
      })
      if (result === 'conflict')
        throw new GatewayError('idempotency_conflict', 'This Idempotency-Key was already used for a different credit.')
      return team
    },
    async entries(by, id, asked) {
      find(by, id)
      if (!seesAll(roleIn(directory, by, id))) throw notPermittedInTeam()
      return entriesOf(store, directory, id, asked)
    },
  }
}
