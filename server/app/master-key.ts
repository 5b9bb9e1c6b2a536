/** The key that seals channel secrets: from the environment, or created once in the data folder. A database has exactly one. */
import { checkMasterKey, masterKeyFits } from '#accounts/master-key'
import type { Random } from '#runtime/clock'
import { type Sealer, sealer } from '#runtime/secrets'
import { readIfThere, readOrCreate } from '#runtime/small-file'
import type { Store } from '#store/engine/store'

const fileIn = (folder: string) => `${folder}/master.key`
const form = /^[0-9a-f]{64}$/

/** Seals with the given key, or the one in `folder`, which is created if missing. Throws with one clear line when it is the wrong one. */
export async function openSealer(store: Store, random: Random, folder: string, given: string | undefined): Promise<Sealer> {
  const key = given ?? (await readOrCreate(fileIn(folder), form, () => random.hex(32)))
  const sealing = sealer(key)
  await checkMasterKey(store, sealing)
  return sealing
}

/** Whether the key that a start would use is the right one for this database, with a line that explains it. Creates no key. */
export async function aboutMasterKey(
  db: Store['db'],
  folder: string,
  given: string | undefined,
): Promise<{ fits: boolean | undefined; line: string }> {
  const key = given ?? (await readIfThere(fileIn(folder)))?.trim()
  const known = key !== undefined && (given !== undefined || form.test(key))
  const fits = await masterKeyFits({ db }, known ? sealer(key) : { open: () => '' })
  if (fits === undefined) return { fits, line: 'No master key has been used with this database yet.' }
  if (fits) return { fits, line: 'The master key is the right one for this database.' }
  const what = known
    ? `the master key ${given === undefined ? `in ${folder}` : 'in PARLEY_MASTER_KEY'} is a different one`
    : 'there is none here'
  return { fits, line: `secrets are sealed with a master key, and ${what}: copy this database's master.key, or set its PARLEY_MASTER_KEY` }
}
