/** What stands around a text in an event that a codec writes: asked of the codec itself, by a text that is found again. */
import { encoded } from './bytewise.ts'

/** A text that is written as it is, and stands nowhere else. */
export const marker = 'parley:the-text-of-this-event'
/** The same in the place of a number that counts events. */
export const countMarker = 'parley:the-number-of-this-event'

/** What stands before and after the marker in `event`, bytewise; undefined where it stands there more than once, or not at all. */
export function around(event: string): readonly [before: string, after: string] | undefined {
  const parts = split(event, marker)
  return parts && [encoded(parts[0]), encoded(parts[1])]
}

/** The same around the number, between it and the text, and after the text. */
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
