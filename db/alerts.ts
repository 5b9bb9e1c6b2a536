/** Alert hooks, alerts, and the delivery of each alert to each hook. */
import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { AlertData, AlertForm, AlertKind, DeliveryState } from '../shared/console/alert.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** Destinations of alerts. */
export const alertHooks = pgTable('alert_hooks', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  form: text('form').$type<AlertForm>().notNull(),
  /** Scheme, host and port: what may be shown of its URL. */
  address: text('address').notNull(),
  /** JSON of the URL and the secret, sealed with the row id as associated data. */
  sealed: text('sealed').notNull(),
  /** Mail only. */
  mailFrom: text('mail_from'),
  mailTo: text('mail_to').array(),
  /** Null: every kind. */
  kinds: text('kinds').array().$type<AlertKind[]>(),
  enabled: boolean('enabled').notNull().default(true),
  createdAt: instant('created_at').notNull(),
})

/** What happened. One row for each threshold and window, whichever instance noticed it. */
export const alerts = pgTable(
  'alerts',
  {
    id: text('id').primaryKey(),
    at: instant('at').notNull(),
    kind: text('kind').$type<AlertKind>().notNull(),
    /** Deduplication key: kind, subject, threshold and window. */
    once: text('once').notNull().unique(),
    data: jsonb('data').$type<AlertData>().notNull(),
  },
  (table) => [index('alerts_at').on(table.at)],
)

/** The outbox: the delivery of an alert to a hook. */
export const alertDeliveries = pgTable(
  'alert_deliveries',
  {
    id: text('id').primaryKey(),
    alertId: text('alert_id')
      .notNull()
      .references(() => alerts.id, { onDelete: 'cascade' }),
    hookId: text('hook_id')
      .notNull()
      .references(() => alertHooks.id, { onDelete: 'cascade' }),
    state: text('state').$type<DeliveryState>().notNull().default('waiting'),
    tries: integer('tries').notNull().default(0),
    /** When it is tried next; while it is being tried, when another instance may. */
    dueAt: instant('due_at').notNull(),
    /** The last answer, in words. */
    answer: text('answer'),
    sentAt: instant('sent_at'),
  },
  (table) => [
    index('alert_deliveries_due').on(table.dueAt).where(sql`state = 'waiting'`),
    index('alert_deliveries_hook').on(table.hookId),
    index('alert_deliveries_alert').on(table.alertId),
  ],
)
