/** The runtime that this process runs on, chosen once. Only the two folders beside this file name a runtime's own API. */
import { bunPlatform } from './bun/platform.ts'
import type { Platform } from './contract/platform.ts'
import { denoPlatform } from './deno/platform.ts'

export const platform: Platform = process.versions.bun === undefined ? denoPlatform : bunPlatform
