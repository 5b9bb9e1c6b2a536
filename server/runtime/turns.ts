/** Gives others their turn in the middle of long work. */

/** Resolves when everything that waits on the event loop has had its turn. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
