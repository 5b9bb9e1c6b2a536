/** Detects a wrong master key before anything is sealed with it. */
import type { Sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { keepSetting, readSetting } from '#store/accounts/settings'
import type { Store } from '#store/engine/store'

const name = 'master-key-check'

/** Resolves when this is the master key that the database was first used with. Throws GatewayError `internal_error` otherwise. */
export async function checkMasterKey(store: Store, { seal, open }: Sealer): Promise<void> {
  const kept = await keepSetting(store, name, seal(name, name))
  if (typeof kept === 'string' && opens(() => open(kept, name))) return
  throw new GatewayError('internal_error', 'PARLEY_MASTER_KEY is not the key that this database was first used with.')
}

/** Whether this is the master key that the database was first used with; undefined when none was used yet. Writes nothing. */
export async function masterKeyFits(store: Pick<Store, 'db'>, { open }: Pick<Sealer, 'open'>): Promise<boolean | undefined> {
  const kept = await readSetting(store, name)
  return kept === undefined ? undefined : typeof kept === 'string' && opens(() => open(kept, name))
}

function opens(attempt: () => string): boolean {
  try {
    return attempt() === name
  } catch {
    return false
  }
}
