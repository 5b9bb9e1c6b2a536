/** Finds the constant text around a string in an event that a codec writes, by having it write a marker. */
import { encoded } from './bytewise.ts'

/** A text that needs no escaping, and occurs nowhere else. */
export const marker = 'parley:the-text-of-this-event'
/** The same for a sequence number. */
export const countMarker = 'parley:the-number-of-this-event'

/** The text before and after the marker in `event`, bytewise; undefined unless it occurs exactly once. */
export function around(event: string): readonly [before: string, after: string] | undefined {
  const parts = split(event, marker)
  return parts && [encoded(parts[0]), encoded(parts[1])]
}

/** The text before the number, between it and the marker, and after the marker. */
export function aroundCounted(event: string): readonly [before: string, between: string, after: string] | undefined {
  const counted = split(event, `"${countMarker}"`)
  const parts = counted && split(counted[1], marker)
  return parts && [encoded(counted[0]), encoded(parts[0]), encoded(parts[1])]
}

function split(event: string, mark: string): readonly [string, string] | undefined {
  const at = event.indexOf(mark)
  if (at < 0 || event.indexOf(mark, at + 1) >= 0) return undefined
  return [event.slice(0, at), event.slice(at + mark.length)]
}
