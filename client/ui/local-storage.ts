/** Preferences of this browser. When the browser refuses storage, they are forgotten with the page. */
/** The value stored under `parley.<name>`, or null. */
export function readLocalStorage(name: string): string | null {
  try {
    return globalThis.localStorage?.getItem(`parley.${name}`) ?? null
  } catch {
    return null
  }
}

/** Stores `value` under `parley.<name>`; null removes it. Never for secrets. */
export function writeLocalStorage(name: string, value: string | null): void {
  try {
    if (value === null) globalThis.localStorage?.removeItem(`parley.${name}`)
    else globalThis.localStorage?.setItem(`parley.${name}`, value)
  } catch {
    // Storage is off: the preference lives as long as the page.
  }
}
