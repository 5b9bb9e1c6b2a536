/** Bounds the number of values of a label, regardless of the names in the accounts. */

/** The value itself for the first `most` different values, then `other`. */
export function limitLabel(most: number): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= most) return 'other'
    known.add(value)
    return value
  }
}
