/**
 * Invitations by link. Administrators may invite anyone to anything; managers of a team invite to that team only. An
 * invitation is valid as long as its creator could still make it. Its secret is only in the link.
 */
import type { User } from '#accounts/caller'
import type { Directory } from '#accounts/directory'
import { defaultGroup } from '#accounts/groups'
import { demandStrongPassword } from '#accounts/guard/password-rules'
import { newRecord } from '#accounts/keys'
import { invalid, nameTaken, notFound, quotaExceeded, uniquely } from '#accounts/refusals'
import type { Origin, Sessions, SignedIn } from '#accounts/sessions'
import { newMember } from '#accounts/teams/team-columns'
import { writeMember } from '#accounts/teams/team-writes'
import { demandGroup, membership, newUser, writeUser } from '#accounts/users'
import type { Clock, Random } from '#runtime/clock'
import { hashPassword, sha256Hex } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import type { Quotas } from '#shared/console/quota'
import type { InvitationFacts, InvitationRow, Join, NewInvitation } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { memberIdOf } from '#shared/ids'
import { audited, onRecord } from '#store/accounts/audit'
import {
  countInvitationsOf,
  deleteInvitation,
  deleteStaleInvitations,
  findInvitation,
  type InvitationRecord,
  type InvitationsAsked,
  insertInvitation,
  loadInvitation,
  pageInvitations,
  takeUse,
} from '#store/accounts/invitations'
import { insertTeamMembers } from '#store/accounts/teams'
import { createUser, updateUser } from '#store/accounts/users'
import type { Store } from '#store/engine/store'
import { demandMay, maySee, teamsRunBy } from './rights.ts'

const day = 24 * 3600_000
const usualDays = 7
/** How long an ended invitation stays listed, in milliseconds. */
const keptMs = 30 * day
const tokenForm = /^inv-[0-9A-Za-z]{40}$/

/** Makes, lists and uses invitations. */
export interface Invitations {
  /**
   * Those that the user may end, oldest first: all for administrators; for others those to the teams that they manage. With `team` only
   * those to this one. `more`: further ones follow the last row.
   */
  pageFor(user: User, asked: InvitationPage): Promise<{ rows: InvitationRow[]; more: boolean }>
  /** How many invitations of the user count for the quota. */
  countOf(user: User): Promise<number>
  /**
   * The row and the secret of the link, which cannot be retrieved again. Throws `not_permitted`, `not_found`, `invalid_value`,
   * `managed_by_file`, `quota_exceeded`.
   */
  create(by: User & Actor, fields: NewInvitation): Promise<{ row: InvitationRow; token: string }>
  /** Throws `not_found` for one that the user may not see. */
  remove(by: User & Actor, id: string): Promise<void>
  /** What anyone with the link may see. Throws `not_found` for a link that is not valid now. */
  look(token: string): Promise<InvitationFacts>
  /** Creates a user and signs them in. Throws `not_found`, `name_taken`, `weak_password`. */
  join(fields: Join, from: Origin): Promise<SignedIn>
  /**
   * Accepts an invitation for an existing user: adds them to the team, and if this sign-in created the account (`isNew`) also sets role and
   * group. Throws `not_found`, `name_taken` for an existing member, `invalid_value` for an invitation without a team.
   */
  accept(user: User & Actor, token: string, isNew?: boolean): Promise<void>
  /** Deletes invitations that ended long ago. Runs on a schedule. */
  sweep(): Promise<void>
}

/** A page of invitations. */
export interface InvitationPage extends Pick<InvitationsAsked, 'limit' | 'after'> {
  /** Id of a team. */
  team?: string
}

/** What `createInvitations` needs. */
export interface InvitationsParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
  sessions: Pick<Sessions, 'begin'>
  quotas(): Pick<Quotas, 'invitations'>
}

/** Invitations over the store and the directory. */
export function createInvitations({ store, directory, clock, random, sessions, quotas }: InvitationsParts): Invitations {
  const now = () => new Date(clock.now())

  function opens(row: InvitationRecord): boolean {
    if (row.uses >= row.most || row.expiresAt.getTime() <= clock.now()) return false
    const maker = directory.users.get(row.createdBy)
    if (!maker?.enabled) return false
    try {
      demandMay(directory, maker, row)
      return true
    } catch {
      return false
    }
  }

  /** The invitation of this link, if it is valid now. */
  async function open(store: Store, token: string): Promise<InvitationRecord> {
    const row = tokenForm.test(token) ? await findInvitation(store, sha256Hex(token)) : undefined
    if (row === undefined || !opens(row)) throw over()
    return row
  }

  const facts = ({ teamId, createdBy }: InvitationRecord) => ({
    team: teamId === null ? null : { id: teamId, name: directory.teams.get(teamId)?.team.name ?? '' },
    by: { id: createdBy, name: directory.users.get(createdBy)?.name ?? '' },
  })

  const rowOf = (row: InvitationRecord): InvitationRow => ({
    ...{ id: row.id, note: row.note, role: row.role, group: row.group, teamRole: row.teamRole, most: row.most, uses: row.uses },
    ...{ createdAt: row.createdAt.toISOString(), expiresAt: row.expiresAt.toISOString(), valid: opens(row) },
    ...facts(row),
  })

  const write = (by: Actor, verb: 'create' | 'remove', id: string, work: (store: Store) => Promise<void>) =>
    audited(store, by, { action: `invitation.${verb}`, target: id }, (store) => loadInvitation(store, id), work)

  /** Takes one use of it, and records who used it. Call it in the transaction that grants what it promises. */
  async function use(store: Store, by: Actor, row: InvitationRecord): Promise<void> {
    const taken = await audited(
      store,
      by,
      { action: 'invitation.use', target: row.id },
      (store) => loadInvitation(store, row.id),
      (store) => takeUse(store, row.id, now()),
    )
    if (!taken) throw over()
  }

  async function enter(store: Store, by: Actor, userId: string, { teamId, teamRole }: InvitationRecord): Promise<void> {
    if (teamId === null) return
    const member = newMember(teamId, userId, { user: userId, role: teamRole ?? 'member' }, now())
    await writeMember(store, by, 'create', member.id, (store) => insertTeamMembers(store, [member]))
  }

  return {
    async pageFor(user, { limit, after, team }) {
      const shown = user.role === 'admin' ? undefined : teamsRunBy(directory, user)
      const teams = team === undefined ? shown : shown === undefined || shown.includes(team) ? [team] : []
      const found = await pageInvitations(store, { limit, ...(after && { after }), ...(teams && { teams }) })
      return { rows: found.slice(0, limit).map(rowOf), more: found.length > limit }
    },
    countOf: ({ id }) => countInvitationsOf(store, id),
    async create(by, { note, role = 'user', group = defaultGroup, team, teamRole, uses: most = 1, days = usualDays }) {
      const teamId = team === undefined ? null : ((directory.teams.get(team) ?? directory.teamNamed(team))?.team.id ?? notThere())
      if (teamId === null && teamRole !== undefined) throw invalid('teamRole', 'nothing without a team')
      const { id, at } = newRecord(clock, random)
      const token = `inv-${random.base62(40)}`
      const row: InvitationRecord = {
        ...{
          id,
          digest: sha256Hex(token),
          note: note ?? null,
          role,
          group,
          teamId,
          teamRole: teamId === null ? null : (teamRole ?? 'member'),
        },
        ...{ most, uses: 0, createdBy: by.id, createdAt: at, expiresAt: new Date(at.getTime() + days * day) },
      }
      demandMay(directory, by, row)
      demandGroup(directory, group, 'group')
      await write(by, 'create', id, async (store) => {
        // Audited writes are serialised, so no two pass this check at once.
        const { invitations } = quotas()
        if ((await countInvitationsOf(store, by.id)) >= invitations) throw quotaExceeded('invitations of a user', invitations)
        await insertInvitation(store, row)
      })
      return { row: rowOf(row), token }
    },
    async remove(by, id) {
      const row = await loadInvitation(store, id)
      if (row === undefined || !maySee(directory, by, row)) throw notFound()
      await write(by, 'remove', id, (store) => deleteInvitation(store, id))
    },
    async look(token) {
      const row = await open(store, token)
      const { by, team } = facts(row)
      return { by: by.name, team: team?.name ?? null, teamRole: row.teamRole, role: row.role, expiresAt: row.expiresAt.toISOString() }
    },
    async join({ token, name, password }, from) {
      const row = await open(store, token)
      await demandStrongPassword(password, name)
      const { id, at } = newRecord(clock, random)
      const columns = { role: row.role, passwordHash: await hashPassword(password), ...membership({ group: row.group }) }
      const user = { ...newUser(name, id, at), ...columns }
      const by: Actor = { id, name, ...(from.requestId !== undefined && { requestId: from.requestId }) }
      await uniquely(
        onRecord(store, async (store) => {
          await use(store, by, row)
          await writeUser(store, by, 'create', id, (store) => createUser(store, { user }))
          await enter(store, by, id, row)
        }),
      )
      const known = directory.users.get(id)
      if (known === undefined) throw notFound()
      return sessions.begin(known, 'password', from)
    },
    async accept(user, token, isNew = false) {
      const row = await open(store, token)
      if (!isNew && row.teamId === null) throw invalid('token', 'an invitation to a team: this one is for people without an account')
      if (row.teamId !== null && directory.members.get(memberIdOf(row.teamId, user.id)) !== undefined) throw nameTaken('token')
      const columns = { role: row.role, ...membership({ group: row.group }) }
      await uniquely(
        onRecord(store, async (store) => {
          await use(store, user, row)
          if (isNew) await writeUser(store, user, 'change', user.id, (store) => updateUser(store, user.id, columns))
          await enter(store, user, user.id, row)
        }),
        () => nameTaken('token'),
      )
    },
    sweep: () => deleteStaleInvitations(store, new Date(clock.now() - keptMs)),
  }
}

function notThere(): never {
  throw notFound()
}

const over = () => new GatewayError('not_found', 'This invitation has expired, was used, or was revoked. Ask for a new one.')
