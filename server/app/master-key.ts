/** The key that seals channel secrets: from the environment, or made once in the data folder. One database, one key. */
import { checkMasterKey, masterKeyFits } from '#accounts/master-key'
import type { Random } from '#runtime/clock'
import { type Sealer, sealer } from '#runtime/secrets'
import { readIfThere, readOrCreate } from '#runtime/small-file'
import type { Store } from '#store/engine/store'

const fileIn = (folder: string) => `${folder}/master.key`
const form = /^[0-9a-f]{64}$/

/** Throws with one clear line when the database was sealed with another key. */
export async function openSealer(store: Store, random: Random, folder: string, given: string | undefined): Promise<Sealer> {
  const key = given ?? (await readOrCreate(fileIn(folder), form, () => random.hex(32)))
  const sealing = sealer(key)
  await checkMasterKey(store, sealing)
  return sealing
}

/** Whether the key that a start would use is the database's own, and that in words. Makes no key. */
export async function aboutMasterKey(
  db: Store['db'],
  folder: string,
  given: string | undefined,
): Promise<{ fits: boolean | undefined; line: string }> {
  const key = given ?? (await readIfThere(fileIn(folder)))?.trim()
  const known = key !== undefined && (given !== undefined || form.test(key))
  const fits = await masterKeyFits({ db }, known ? sealer(key) : { open: () => '' })
  if (fits === undefined) return { fits, line: 'No master key was used with this database yet.' }
  if (fits) return { fits, line: 'The master key is the one of this database.' }
  const what = known ? `the master key ${given === undefined ? `in ${folder}` : 'in PARLEY_MASTER_KEY'} is another one` : 'there is none'
  return { fits, line: `secrets are sealed with a master key, and ${what}: bring master.key or PARLEY_MASTER_KEY of this database along` }
}
