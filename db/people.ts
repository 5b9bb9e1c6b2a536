/** Sign-in: second factors, sign-ins that wait for one, invitations. */
import { bigint, boolean, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import type { FactorKind, Role, SignInWay, TeamRole } from '../shared/ids.ts'
import { users } from './accounts.ts'
import { teams } from './teams.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** Authenticator apps and passkeys of users. */
export const secondFactors = pgTable(
  'second_factors',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<FactorKind>().notNull(),
    name: text('name').notNull(),
    /** False until the first correct code of an app; such a row has no effect. */
    confirmed: boolean('confirmed').notNull(),
    /** Of an app: its secret, sealed. */
    sealed: text('sealed'),
    /** Of a passkey: its id at the authenticator, base64url. */
    credential: text('credential').unique(),
    /** Of a passkey: its COSE key, base64url. */
    publicKey: text('public_key'),
    transports: text('transports').array(),
    /** Of an app the time step of the last accepted code, of a passkey the signature counter: neither decreases. */
    counter: bigint('counter', { mode: 'number' }).notNull().default(0),
    createdAt: instant('created_at').notNull(),
    usedAt: instant('used_at'),
  },
  (table) => [index('second_factors_user').on(table.userId)],
)

/** Codes that replace a lost second factor, each usable once. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of user and code, hexadecimal. */
    digest: text('digest').notNull(),
    createdAt: instant('created_at').notNull(),
    usedAt: instant('used_at'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.digest] })],
)

/** Sign-ins that still need the second factor. */
export const signInSteps = pgTable('sign_in_steps', {
  /** SHA-256 of the cookie's value, hexadecimal. */
  digest: text('digest').primaryKey(),
  userId: text('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' }),
  via: text('via').$type<SignInWay>().notNull(),
  /** Wrong answers so far. */
  tries: integer('tries').notNull().default(0),
  expiresAt: instant('expires_at').notNull(),
})

/** Challenges of passkeys that were answered, so that no answer counts twice. */
export const spentChallenges = pgTable('spent_challenges', {
  /** SHA-256, hexadecimal. */
  digest: text('digest').primaryKey(),
  /** After this the challenge itself is refused. */
  expiresAt: instant('expires_at').notNull(),
})

/** Links by which people become users, or members of a team. */
export const invitations = pgTable(
  'invitations',
  {
    id: text('id').primaryKey(),
    /** SHA-256 of the link's secret, hexadecimal. */
    digest: text('digest').notNull().unique(),
    /** For people only. */
    note: text('note'),
    /** Role of users created by it. */
    role: text('role').$type<Role>().notNull(),
    group: text('group').notNull(),
    teamId: text('team_id').references(() => teams.id, { onDelete: 'cascade' }),
    teamRole: text('team_role').$type<TeamRole>(),
    /** How often it may be used, and has been. */
    most: integer('most').notNull(),
    uses: integer('uses').notNull().default(0),
    createdBy: text('created_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [index('invitations_team').on(table.teamId)],
)
