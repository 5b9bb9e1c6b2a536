/** Small preferences of this browser. A browser that refuses storage only forgets them. */

/** What was remembered under `name`, or null. */
export function readLocalStorage(name: string): string | null {
  try {
    return globalThis.localStorage?.getItem(`parley.${name}`) ?? null
  } catch {
    return null
  }
}

/** Remembers `value` under `name`; null forgets it. Never a secret. */
export function writeLocalStorage(name: string, value: string | null): void {
  try {
    if (value === null) globalThis.localStorage?.removeItem(`parley.${name}`)
    else globalThis.localStorage?.setItem(`parley.${name}`, value)
  } catch {
    // Storage is off: the preference lives as long as the page.
  }
}
