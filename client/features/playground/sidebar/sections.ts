/** Order of the list: pinned conversations first, then by day. */
import type { Conversation } from '#client/features/playground/conversation/conversation.ts'
import type { MessageKey } from '#client/features/playground/messages/messages.ts'
import { dayOf, midnightOf } from '#client/ui/time-zone.ts'

/** A section of the list with its conversations. */
export interface Section {
  title: MessageKey
  rows: Conversation[]
}

const dayMs = 86_400_000

/**
 * Sections of `rows`, which must be sorted newest first; empty ones are left out. `now` (milliseconds) decides what is today,
 * in the user's time zone.
 */
export function sectionsOf(rows: readonly Conversation[], now: number): Section[] {
  const midnight = midnightOf(...dayOf(new Date(now))).getTime()
  const limits: [MessageKey, number][] = [
    ['today', midnight],
    ['yesterday', midnight - dayMs],
    ['lastWeek', midnight - 7 * dayMs],
    ['lastMonth', midnight - 30 * dayMs],
    ['older', Number.NEGATIVE_INFINITY],
  ]
  const sections: Section[] = [{ title: 'pinned', rows: rows.filter((row) => row.pinned) }]
  let above = Number.POSITIVE_INFINITY
  for (const [title, from] of limits) {
    const upper = above
    sections.push({ title, rows: rows.filter((row) => !row.pinned && row.updatedAt >= from && row.updatedAt < upper) })
    above = from
  }
  return sections.filter((section) => section.rows.length > 0)
}
