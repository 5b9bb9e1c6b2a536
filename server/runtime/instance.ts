/** Which installation this is: an id kept in the data folder, by which the books say where the journal of an instance lies. */
import type { Dice } from './clock.ts'
import { keptFile } from './kept-file.ts'

/** Reads `<folder>/instance`, or makes it: 32 hexadecimal digits. The folder must be locked by the caller. */
export const instanceId = (folder: string, dice: Dice): Promise<string> =>
  keptFile(`${folder}/instance`, /^[0-9a-f]{32}$/, () => dice.hex(16))
