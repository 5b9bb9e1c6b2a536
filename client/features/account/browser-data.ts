/** Parley's data in this browser: conversation databases and preferences. */

/** The approximate size in bytes; 0 if the browser does not report it. */
export async function sizeKept(): Promise<number> {
  const estimate = await navigator.storage?.estimate?.().catch(() => undefined)
  return estimate?.usage ?? 0
}

/** Deletes all databases and preferences of this origin. The session stays: only the server can end it. */
export async function forgetEverything(): Promise<void> {
  try {
    for (const name of Object.keys(localStorage))
      if (name.startsWith('parley.') && name !== 'parley.signed-in') localStorage.removeItem(name)
    const databases = (await indexedDB.databases?.()) ?? []
    await Promise.all(databases.map(({ name }) => name && deleted(name)))
  } catch {
    // Storage is blocked: there is nothing to delete.
  }
}

function deleted(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name)
    // Blocked by another tab: the browser deletes it once that tab closes the database or is itself closed.
    request.onsuccess = request.onerror = request.onblocked = () => resolve()
  })
}
