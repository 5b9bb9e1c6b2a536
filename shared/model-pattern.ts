/** Names of models with `*` for any run of characters, as keys may have them: `claude-*`. */

/** Whether the pattern matches this model. Linear in the length of both. */
export function matchesPattern(pattern: string, model: string): boolean {
  const parts = pattern.split('*')
  if (parts.length === 1) return pattern === model
  const [first = ''] = parts
  const last = parts.at(-1) ?? ''
  const end = model.length - last.length
  if (!model.startsWith(first) || !model.endsWith(last) || end < first.length) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = model.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/** Whether this is a pattern and not a plain name. */
export const isPattern = (name: string): boolean => name.includes('*')

/** A set of names and patterns; `has` is also true for names that a pattern matches. Nothing else knows of patterns. */
export class ModelSet extends Set<string> {
  readonly #patterns: readonly string[]

  constructor(names: Iterable<string>) {
    const all = [...names]
    super(all)
    this.#patterns = all.filter(isPattern)
  }

  override has(model: string): boolean {
    return super.has(model) || this.#patterns.some((pattern) => matchesPattern(pattern, model))
  }
}

/** The models that both sets have; null stands for all. */
export function inBoth(one: ReadonlySet<string> | null, other: ReadonlySet<string> | null): ReadonlySet<string> | null {
  if (one === null || other === null) return one ?? other
  return new CommonModels(one, other)
}

/** The intersection of two sets with patterns: its members are the names and patterns that the other one also has. */
class CommonModels extends Set<string> {
  readonly #sets: readonly ReadonlySet<string>[]

  constructor(...sets: readonly ReadonlySet<string>[]) {
    super(sets.flatMap((set) => [...set].filter((name) => sets.every((every) => every.has(name)))))
    this.#sets = sets
  }

  override has(model: string): boolean {
    return this.#sets.every((set) => set.has(model))
  }
}
