/** Rows of invitations. The secret of a link is never stored, only its digest. */
import { and, asc, eq, gt, inArray, lt, or, sql } from 'drizzle-orm'
import { invitations } from '#db/people'
import type { Store } from '#store/engine/store'

/** A row. */
export type InvitationRecord = typeof invitations.$inferSelect

/** Filter and position of a list of invitations. */
export interface InvitationsAsked {
  limit: number
  /** Where the previous page ended. */
  after?: { at: Date; id: string }
  /** Only those to these teams; absent: all. */
  teams?: readonly string[]
}

/** Oldest first; one row more than requested where there are more. */
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

/** How many invitations of this user are stored, including ended ones. */
export const countInvitationsOf = ({ db }: Store, userId: string): Promise<number> =>
  db.$count(invitations, eq(invitations.createdBy, userId))

/** The invitation with this id, if it exists. */
export async function loadInvitation({ db }: Store, id: string): Promise<InvitationRecord | undefined> {
  const [row] = await db.select().from(invitations).where(eq(invitations.id, id))
  return row
}

/** The invitation of a link, even if used up or ended. */
export async function findInvitation({ db }: Store, digest: string): Promise<InvitationRecord | undefined> {
  const [row] = await db.select().from(invitations).where(eq(invitations.digest, digest))
  return row
}

/** Inserts an invitation. */
export async function insertInvitation({ db }: Store, row: InvitationRecord): Promise<void> {
  await db.insert(invitations).values(row)
}

/** Takes one use: false when all are used up or the invitation has ended or is gone; exact under concurrency. */
export async function takeUse({ db }: Store, id: string, now: Date): Promise<boolean> {
  const taken = await db
    .update(invitations)
    .set({ uses: sql`${invitations.uses} + 1` })
    .where(and(eq(invitations.id, id), lt(invitations.uses, invitations.most), gt(invitations.expiresAt, now)))
    .returning({ id: invitations.id })
  return taken.length > 0
}

/** Deletes the invitation, if it exists. */
export async function deleteInvitation({ db }: Store, id: string): Promise<void> {
  await db.delete(invitations).where(eq(invitations.id, id))
}

/** Deletes invitations that ended before this time. */
export async function deleteStaleInvitations({ db }: Store, before: Date): Promise<void> {
  await db.delete(invitations).where(lt(invitations.expiresAt, before))
}
