/**
 * True when two JSON-like values are equal. The order of an object's fields does not matter (jsonb does not keep it), and an
 * undefined field counts as absent. Used to compare a declared row with the stored one, so that nothing is written when nothing
 * changed.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameList(a, b)
  const left = present(a)
  const right = present(b)
  return left.size === right.size && [...left].every(([name, value]) => right.has(name) && sameValue(value, right.get(name)))
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => sameValue(value, b[index]))
}

function present(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, field]) => field !== undefined))
}
