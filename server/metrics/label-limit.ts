/** Keeps the number of values of a label bounded, whatever names the accounts have. */

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
