/** What this browser keeps for Parley: databases of conversations, and preferences. */

/** About how many bytes are kept; 0 where the browser does not tell. */
export async function sizeKept(): Promise<number> {
  const estimate = await navigator.storage?.estimate?.().catch(() => undefined)
  return estimate?.usage ?? 0
}

/** Deletes all databases and preferences of this address. Whoever is signed in stays so: that is the server's to end. */
export async function forgetEverything(): Promise<void> {
  try {
    for (const name of Object.keys(localStorage))
      if (name.startsWith('parley.') && name !== 'parley.signed-in') localStorage.removeItem(name)
    const databases = (await indexedDB.databases?.()) ?? []
    await Promise.all(databases.map(({ name }) => name && deleted(name)))
  } catch {
    // Storage is off: there is nothing to delete.
  }
}

function deleted(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name)
    // Another tab that has it open lets go when it is told, or when it is closed.
    request.onsuccess = request.onerror = request.onblocked = () => resolve()
  })
}
