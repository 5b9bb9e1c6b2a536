/** Users, their sessions and API keys, groups, and settings. */
import { bigint, boolean, index, jsonb, pgTable, primaryKey, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import type { KeepBodies } from '../shared/console/body.ts'
import type { Budget, Limits } from '../shared/console/limits.ts'
import type { Scope } from '../shared/console/management-key.ts'
import type { HeldPlan } from '../shared/console/selling.ts'
import type { Fallback } from '../shared/console/settings.ts'
import type { Managed, Role, SignInWay, TeamRole } from '../shared/ids.ts'
import { teams } from './teams.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** People and programs that may call. */
export const users = pgTable('users', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique(),
  role: text('role').$type<Role>().notNull().default('user'),
  /** argon2id; null = cannot sign in. */
  passwordHash: text('password_hash'),
  group: text('group').notNull().default('default'),
  groups: text('groups').array().notNull(),
  budget: jsonb('budget').$type<Budget>(),
  limits: jsonb('limits').$type<Limits>(),
  /** The current or last plan, as it was given. */
  plan: jsonb('plan').$type<HeldPlan>(),
  enabled: boolean('enabled').notNull().default(true),
  managed: text('managed').$type<Managed>().notNull().default('console'),
  createdAt: instant('created_at').notNull(),
})

/** Console sessions. */
export const sessions = pgTable(
  'sessions',
  {
    /** SHA-256 of the cookie's first value, hexadecimal; it identifies the session even after the cookie gets another value. */
    digest: text('digest').primaryKey(),
    /** SHA-256 of the cookie's value since the user's last proof of identity; null = `digest`. */
    tokenDigest: text('token_digest'),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: instant('created_at').notNull(),
    usedAt: instant('used_at').notNull(),
    /** IP address at sign-in; null for sessions older than this column. */
    address: text('address'),
    /** User-Agent at sign-in, cut to 200 characters. */
    agent: text('agent'),
    /** How the sign-in was proved; null for sessions older than this column. */
    via: text('via').$type<SignInWay>(),
    /** When its user last proved their identity; null = at sign-in. */
    provedAt: instant('proved_at'),
  },
  (table) => [index('sessions_user').on(table.userId)],
)

/** Networks from which a user has signed in: others' failed attempts never block the right password from there. */
export const knownNetworks = pgTable(
  'known_networks',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** An IPv4 address, or the /64 prefix of an IPv6 address. */
    network: text('network').notNull(),
    /** The latest sign-in. */
    at: instant('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.network] })],
)

/** Users' identities at identity providers. */
export const identities = pgTable(
  'identities',
  {
    id: text('id').primaryKey(),
    /** The provider's issuer identifier, a URL. */
    issuer: text('issuer').notNull(),
    /** The provider's `sub`: never reassigned, and unaffected by other changes of the person. */
    subject: text('subject').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The provider's name for the person at the latest sign-in; for people only. */
    label: text('label'),
    createdAt: instant('created_at').notNull(),
    usedAt: instant('used_at').notNull(),
  },
  (table) => [uniqueIndex('identities_subject').on(table.issuer, table.subject), index('identities_user').on(table.userId)],
)

/** Members of teams, and how much of the team's money each may spend. */
export const teamMembers = pgTable(
  'team_members',
  {
    /** `<team>.<user>`: a returning member keeps their earlier spend. The `member_id` of their usage rows. */
    id: text('id').primaryKey(),
    teamId: text('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text('role').$type<TeamRole>().notNull(),
    /** The member's cap. */
    budget: jsonb('budget').$type<Budget>(),
    /** Added by the team's claim, and removed with it. */
    byClaim: boolean('by_claim').notNull().default(false),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [index('team_members_team').on(table.teamId), index('team_members_user').on(table.userId)],
)

/** API keys, by digest; the key itself is not stored. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    /** The user who owns it and pays; null = a team does. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    teamId: text('team_id').references(() => teams.id, { onDelete: 'cascade' }),
    /** Of a team's key: the user who created it, who may be gone; null for other keys. */
    makerId: text('maker_id'),
    name: text('name').notNull(),
    /** SHA-256 of the whole key, hexadecimal. */
    digest: text('digest').notNull().unique(),
    hint: text('hint').notNull(),
    /** Null = the group of its user or team. */
    group: text('group'),
    /** Null = every model of the group. */
    models: text('models').array(),
    expiresAt: instant('expires_at'),
    enabled: boolean('enabled').notNull().default(true),
    strict: boolean('strict').notNull().default(false),
    /** True where `keepBodies` is; for earlier versions. */
    logBodies: boolean('log_bodies').notNull().default(false),
    /** Which of its requests are stored; null = by `logBodies`. */
    keepBodies: jsonb('keep_bodies').$type<KeepBodies>(),
    budget: jsonb('budget').$type<Budget>(),
    limits: jsonb('limits').$type<Limits>(),
    managed: text('managed').$type<Managed>().notNull().default('console'),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at'),
    /** The address of the last use. */
    lastUsedFrom: text('last_used_from'),
    /** For people only. */
    note: text('note'),
    /** Addresses and ranges that may use it; null = all. */
    addresses: text('addresses').array(),
    /** The digest before the last rotation, valid until `previousUntil`. */
    previousDigest: text('previous_digest').unique(),
    previousUntil: instant('previous_until'),
  },
  (table) => [index('api_keys_user').on(table.userId), index('api_keys_team').on(table.teamId)],
)

/** Keys for the console's API, by digest; the key itself is not stored. */
export const managementKeys = pgTable(
  'management_keys',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** SHA-256 of the whole key, hexadecimal. */
    digest: text('digest').notNull().unique(),
    hint: text('hint').notNull(),
    scopes: text('scopes').array().$type<Scope[]>().notNull(),
    /** The owner's role at creation: with another role it is not valid. */
    role: text('role').$type<Role>().notNull(),
    expiresAt: instant('expires_at'),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at'),
    /** The address of the last use. */
    lastUsedFrom: text('last_used_from'),
  },
  (table) => [index('management_keys_user').on(table.userId)],
)

/** Groups of users and channels. */
export const groups = pgTable('groups', {
  name: text('name').primaryKey(),
  description: text('description').notNull().default(''),
  /** Millionths: 1000000 is a ratio of 1. */
  ratio: bigint('ratio', { mode: 'bigint' }).notNull(),
  /** Which requests of the group are stored; null = none. */
  keepBodies: jsonb('keep_bodies').$type<KeepBodies>(),
  budget: jsonb('budget').$type<Budget>(),
  limits: jsonb('limits').$type<Limits>(),
  /** Fallback models by model, replacing those of the installation; null = none of its own. */
  fallbacks: jsonb('fallbacks').$type<Record<string, Fallback>>(),
  enabled: boolean('enabled').notNull().default(true),
  managed: text('managed').$type<Managed>().notNull().default('console'),
  createdAt: instant('created_at').notNull(),
})

/** Settings of the installation, one JSON value per name; the master key check is one of them. */
export const settings = pgTable('settings', {
  name: text('name').primaryKey(),
  value: jsonb('value').notNull(),
})
