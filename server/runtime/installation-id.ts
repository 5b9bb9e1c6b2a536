/** Which installation this is: an id kept in the data folder, by which the books say where the journal of an instance lies. */
import type { Random } from './clock.ts'
import { readOrCreate } from './small-file.ts'

/** Reads `<folder>/instance`, or makes it: 32 hexadecimal digits. The folder must be locked by the caller. */
export const installationId = (folder: string, random: Random): Promise<string> =>
  readOrCreate(`${folder}/instance`, /^[0-9a-f]{32}$/, () => random.hex(16))
