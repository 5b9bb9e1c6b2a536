/** Rows of teams and of their members. A team and its wallet are inserted in one transaction; the wallet and its entries outlive it. */
import { eq, inArray } from 'drizzle-orm'
import { apiKeys, teamMembers } from '#db/accounts'
import { teams } from '#db/teams'
import { deleteBodiesOf } from '#store/bodies/kept-bodies'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'
import { openWallets, postGrants } from '#store/ledger/ledger'
import { deleteStateOf } from './removed-users.ts'
import { type Grant, openingOf } from './users.ts'

/** A row of a team. */
export type TeamRecord = typeof teams.$inferSelect
/** A row of a member. */
export type TeamMemberRecord = typeof teamMembers.$inferSelect

/** Every team, or those with these ids. */
export const loadTeams = ({ db }: Store, ids?: readonly string[]): Promise<TeamRecord[]> =>
  db
    .select()
    .from(teams)
    .where(ids && inArray(teams.id, [...ids]))

/** The team of this id, if it exists. */
export async function loadTeam(store: Store, id: string): Promise<TeamRecord | undefined> {
  const [row] = await loadTeams(store, [id])
  return row
}

/** Every member of every team, or those with these ids. */
export const loadTeamMembers = ({ db }: Store, ids?: readonly string[]): Promise<TeamMemberRecord[]> =>
  db
    .select()
    .from(teamMembers)
    .where(ids && inArray(teamMembers.id, [...ids]))

/** The members of a team. */
export const loadMembersOf = ({ db }: Store, teamId: string): Promise<TeamMemberRecord[]> =>
  db.select().from(teamMembers).where(eq(teamMembers.teamId, teamId))

/** The memberships of a user. */
export const loadPlacesOf = ({ db }: Store, userId: string): Promise<TeamMemberRecord[]> =>
  db.select().from(teamMembers).where(eq(teamMembers.userId, userId))

/** The member of this id, if it exists. */
export async function loadTeamMember(store: Store, id: string): Promise<TeamMemberRecord | undefined> {
  const [row] = await loadTeamMembers(store, [id])
  return row
}

/** Inserts teams with empty wallets. Rejects with the driver's unique violation when a name is taken. */
export async function insertTeams(store: Store, rows: readonly TeamRecord[]): Promise<void> {
  await store.db.transaction(async (tx) => {
    await inLots(rows, (lot) => tx.insert(teams).values(lot))
    await openWallets(
      tx,
      rows.map(({ id }) => id),
    )
  })
  for (const { id } of rows) await store.changes.publish('teams', id)
}

/** Posts opening grants, by team id, each only once in a team's life; returns the ids for which this call posted. */
export async function postTeamOpenings(store: Store, openings: ReadonlyMap<string, Grant>): Promise<string[]> {
  const postings = [...openings].map(([id, opening]) => openingOf(id, opening))
  const posted = await store.db.transaction((tx) => postGrants(tx, postings))
  const ids = postings.flatMap(({ walletId, ref }) => (posted.has(ref) ? [walletId] : []))
  for (const id of ids) await store.changes.publish('accounts', id)
  return ids
}

/** Writes the given fields. */
export async function updateTeam(store: Store, id: string, fields: Partial<TeamRecord>): Promise<void> {
  await store.db
    .update(teams)
    .set({ ...fields, id })
    .where(eq(teams.id, id))
  await store.changes.publish('teams', id)
}

/** Deletes the team with its members and keys; the wallet, its entries and the usage rows stay. */
export async function deleteTeam(store: Store, id: string): Promise<void> {
  const gone = await store.db.transaction(async (tx) => {
    const keys = await tx.delete(apiKeys).where(eq(apiKeys.teamId, id)).returning({ id: apiKeys.id })
    const members = await tx.delete(teamMembers).where(eq(teamMembers.teamId, id)).returning({ id: teamMembers.id })
    await tx.delete(teams).where(eq(teams.id, id))
    // After the team: none of its bodies can be inserted from now on.
    await deleteBodiesOf(tx, id)
    await deleteStateOf(tx, id)
    return { keys, members }
  })
  await store.changes.publish('teams', id)
  for (const member of gone.members) await store.changes.publish('team_members', member.id)
  for (const key of gone.keys) await store.changes.publish('api_keys', key.id)
}

/** Inserts members. Rejects with the driver's unique violation when one exists, and a foreign key violation when team or user does not. */
export async function insertTeamMembers(store: Store, rows: readonly TeamMemberRecord[]): Promise<void> {
  await inLots(rows, (lot) => store.db.insert(teamMembers).values(lot))
  for (const { id } of rows) await store.changes.publish('team_members', id)
}

/** Writes the given fields. */
export async function updateTeamMember(store: Store, id: string, fields: Partial<TeamMemberRecord>): Promise<void> {
  await store.db
    .update(teamMembers)
    .set({ ...fields, id })
    .where(eq(teamMembers.id, id))
  await store.changes.publish('team_members', id)
}

/** Deletes the member, if it exists; the keys it made stay the team's. */
export async function deleteTeamMember(store: Store, id: string): Promise<void> {
  await store.db.delete(teamMembers).where(eq(teamMembers.id, id))
  await store.changes.publish('team_members', id)
}
