/** The runtime of this process, chosen once. Only the two folders next to this file use a runtime's own API. */
import { bunPlatform } from './bun/platform.ts'
import type { Platform } from './contract/platform.ts'
import { denoPlatform } from './deno/platform.ts'

export const platform: Platform = process.versions.bun === undefined ? denoPlatform : bunPlatform
