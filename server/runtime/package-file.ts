/** Files that come with a package, for who needs its data and not its code. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

/** All bytes of a file by its place in the package: `package/folder/file`. Blocks. Throws when it is not there. */
export const readFromPackage = (place: string): Uint8Array => readFileSync(resolve(place))
