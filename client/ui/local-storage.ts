/** Preferences of this browser. When the browser blocks storage, they last only as long as the page. */
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
    // Storage is blocked: the preference lasts as long as the page.
  }
}
