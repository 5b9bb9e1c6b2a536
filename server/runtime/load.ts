/** Loads a package in the middle of the work, once it is needed: what is large and seldom needed costs nothing at the start. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Blocks until it is there. Throws when it is not installed. */
export const loadNow = (name: string): unknown => require(name)
