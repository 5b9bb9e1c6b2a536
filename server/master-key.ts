/** The key that seals channel secrets: from the environment, or made once in the data folder. One database, one key. */
import { checkMasterKey } from '#accounts/master-key'
import type { Dice } from '#runtime/clock'
import { keptFile } from '#runtime/kept-file'
import { type Sealer, sealer } from '#runtime/secrets'
import type { Store } from '#store/store'

/** Throws with one clear line when the database was sealed with another key. */
export async function openSealer(store: Store, dice: Dice, folder: string, given: string | undefined): Promise<Sealer> {
  const key = given ?? (await keptFile(`${folder}/master.key`, /^[0-9a-f]{64}$/, () => dice.hex(32)))
  const sealing = sealer(key)
  await checkMasterKey(store, sealing)
  return sealing
}
