/** GET /api/events: what has changed, as a stream of server-sent events named `change`. */

/** What can change. Pages read again what they show; an event has no values. */
export const topics = ['requests', 'account', 'keys', 'users', 'groups', 'channels', 'models', 'prices', 'settings'] as const
export type Topic = (typeof topics)[number]

/** The data of an event. */
export interface Change {
  /** In no order, each once. */
  what: Topic[]
}
