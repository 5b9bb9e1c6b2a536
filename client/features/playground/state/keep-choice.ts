/** Whether this browser keeps a user's conversations on the server too. The choice is this browser's; it is off at first. */
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'

/** The stored choice. `user` is an id. */
export const keepsOnServer = (user: string): boolean => readLocalStorage(`keep-${user}`) === 'yes'

/** Stores the choice. It takes effect the next time the playground opens. */
export const setKeepsOnServer = (user: string, keep: boolean): void => writeLocalStorage(`keep-${user}`, keep ? 'yes' : null)
