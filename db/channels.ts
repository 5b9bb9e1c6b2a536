/** Channels, their sealed keys, and the prices of models. */
import { boolean, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { NewChannel } from '../shared/console/channel.ts'
import type { PriceFields } from '../shared/console/price.ts'
import type { Dialect, Managed, Operation, VendorId } from '../shared/ids.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** Upstream accounts that requests are sent to. */
export const channels = pgTable('channels', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique(),
  vendor: text('vendor').$type<VendorId>().notNull(),
  baseUrl: text('base_url'),
  /** Null: the vendor's default. */
  speaks: text('speaks').array().$type<Dialect[]>(),
  /** Null: the vendor's default. */
  operations: text('operations').array().$type<Operation[]>(),
  groups: text('groups').array().notNull(),
  models: jsonb('models').$type<NewChannel['models']>().notNull(),
  priority: integer('priority').notNull().default(0),
  weight: integer('weight').notNull().default(1),
  enabled: boolean('enabled').notNull().default(true),
  strict: boolean('strict').notNull().default(false),
  systemPrompt: text('system_prompt'),
  headers: jsonb('headers').$type<Record<string, string>>().notNull().default({}),
  params: jsonb('params').$type<NonNullable<NewChannel['params']>>().notNull().default({}),
  timeouts: jsonb('timeouts').$type<NonNullable<NewChannel['timeouts']>>().notNull().default({}),
  options: jsonb('options').$type<Record<string, string>>().notNull().default({}),
  costs: jsonb('costs').$type<Record<string, PriceFields>>().notNull().default({}),
  /** `allow`: only one tenant uses this account, so ids that Parley never saw are passed on. */
  foreignState: text('foreign_state').$type<'deny' | 'allow'>().notNull().default('deny'),
  /** URL of a proxy, its credentials sealed; `direct`: none. Null: the setting for all channels. */
  proxy: text('proxy'),
  /** PEM, with the key sealed. */
  tls: jsonb('tls').$type<NonNullable<NewChannel['tls']>>().notNull().default({}),
  tags: text('tags').array().notNull(),
  managed: text('managed').$type<Managed>().notNull().default('console'),
  createdAt: instant('created_at').notNull(),
})

/** Sealed keys of channels. */
export const channelKeys = pgTable(
  'channel_keys',
  {
    id: text('id').primaryKey(),
    channelId: text('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** AES-256-GCM, base64, with the row id as associated data. */
    sealed: text('sealed').notNull(),
    hint: text('hint').notNull(),
    weight: integer('weight').notNull().default(1),
    enabled: boolean('enabled').notNull().default(true),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [index('channel_keys_channel').on(table.channelId)],
)

/** Prices of models. */
export const prices = pgTable('prices', {
  model: text('model').primaryKey(),
  /** As entered: decimal strings in USD. */
  price: jsonb('price').$type<PriceFields>().notNull(),
  managed: text('managed').$type<Managed>().notNull().default('console'),
  enabled: boolean('enabled').notNull().default(true),
  /** Null: before this was recorded. */
  changedAt: instant('changed_at'),
})
