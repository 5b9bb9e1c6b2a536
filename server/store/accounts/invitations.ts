/** Rows of invitations. The secret of a link is never stored, only its digest. */
import { and, asc, eq, gt, inArray, lt, or, sql } from 'drizzle-orm'
import { invitations } from '#db/people'
import type { Store } from '#store/engine/store'

/** A row. */
export type InvitationRecord = typeof invitations.$inferSelect

/** Which invitations a list has. */
export interface InvitationsAsked {
  limit: number
  /** Where the page before ended. */
  after?: { at: Date; id: string }
  /** Those to these teams; absent: every one. */
  teams?: readonly string[]
}

/** Oldest first; one row more than asked for where there are more. */
export const pageInvitations = ({ db }: Store, { limit, after, teams }: InvitationsAsked): Promise<InvitationRecord[]> =>
  db
    .select()
    .from(invitations)
    .where(
      and(
        teams && inArray(invitations.teamId, [...teams]),
        after && or(gt(invitations.createdAt, after.at), and(eq(invitations.createdAt, after.at), gt(invitations.id, after.id))),
      ),
    )
    .orderBy(asc(invitations.createdAt), asc(invitations.id))
    .limit(limit + 1)

/** How many invitations of this user are kept, those that are over included. */
export const countInvitationsOf = ({ db }: Store, userId: string): Promise<number> =>
  db.$count(invitations, eq(invitations.createdBy, userId))

/** The invitation with this id, if it is there. */
export async function loadInvitation({ db }: Store, id: string): Promise<InvitationRecord | undefined> {
  const [row] = await db.select().from(invitations).where(eq(invitations.id, id))
  return row
}

/** The invitation behind a link, used up or over or not. */
export async function findInvitation({ db }: Store, digest: string): Promise<InvitationRecord | undefined> {
  const [row] = await db.select().from(invitations).where(eq(invitations.digest, digest))
  return row
}

/** Inserts an invitation. */
export async function insertInvitation({ db }: Store, row: InvitationRecord): Promise<void> {
  await db.insert(invitations).values(row)
}

/** Takes one use: false when all are used up or the invitation is over or gone; exact for any number who try at once. */
export async function takeUse({ db }: Store, id: string, now: Date): Promise<boolean> {
  const taken = await db
    .update(invitations)
    .set({ uses: sql`${invitations.uses} + 1` })
    .where(and(eq(invitations.id, id), lt(invitations.uses, invitations.most), gt(invitations.expiresAt, now)))
    .returning({ id: invitations.id })
  return taken.length > 0
}

/** Deletes the invitation, if it is there. */
export async function deleteInvitation({ db }: Store, id: string): Promise<void> {
  await db.delete(invitations).where(eq(invitations.id, id))
}

/** Deletes invitations that were over before this time. */
export async function deleteStaleInvitations({ db }: Store, before: Date): Promise<void> {
  await db.delete(invitations).where(lt(invitations.expiresAt, before))
}
