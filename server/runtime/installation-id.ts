/** The installation id, kept in the data folder; with it the books record where the journal of an instance is. */
import type { Random } from './clock.ts'
import { readOrCreate } from './small-file.ts'

/** Reads or creates `<folder>/instance`: 32 hexadecimal digits. The folder must be locked by the caller. */
export const installationId = (folder: string, random: Random): Promise<string> =>
  readOrCreate(`${folder}/instance`, /^[0-9a-f]{32}$/, () => random.hex(16))
