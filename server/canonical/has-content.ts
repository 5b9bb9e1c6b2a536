/** Whether a piece of an answer has content. */

/**
 * A test that is true when `value` has content: any non-empty field, known or not. Empty strings, nulls, false and empty lists do not
 * count, nor do the fields in `frame`, which only position or name a piece.
 */
export function carriesBeside(frame: ReadonlySet<string>): (value: unknown) => boolean {
  function carries(value: unknown, depth: number): boolean {
    if (value === null || value === undefined || value === false || value === '') return false
    if (typeof value !== 'object' || depth > 8) return true
    if (Array.isArray(value)) return value.some((item) => carries(item, depth + 1))
    for (const key in value) {
      if (!frame.has(key) && carries((value as Record<string, unknown>)[key], depth + 1)) return true
    }
    return false
  }
  return (value) => carries(value, 0)
}
