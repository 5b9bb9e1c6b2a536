/** Creates the first administrator: through the setup page with a one-time token, or from the environment. Both have the same result. */

import { demandStrongPassword } from '#accounts/guard/password-rules'
import type { Clock, Random } from '#runtime/clock'
import { equalSecrets, hashPassword } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import { GatewayError } from '#shared/errors'
import { parseUsd } from '#shared/money'
import { createFirstAdmin } from '#store/accounts/users'
import type { Store } from '#store/engine/store'
import type { User } from './caller.ts'
import type { Directory } from './directory.ts'
import { newKey, newRecord, newSecret, writeKey } from './keys.ts'
import { uniquely } from './refusals.ts'
import { newUser, noteMoney, writeUser } from './users.ts'

const openingGrant = parseUsd('100')
const keyName = 'first'

/** The administrator that was created, with a first API key. */
export interface FirstAdmin {
  user: User
  /** Shown once, never again. */
  key: { name: string; key: string }
}

/** First-run setup. */
export interface Setup {
  /** True when there is no administrator who can sign in. */
  setupNeeded(): boolean
  /** Printed on standard output at start; useless once setup is done. */
  readonly setupToken: string
  /** Throws `setup_done`, `invalid_setup_token`, `name_taken`, `weak_password`. */
  runSetup(given: { token: string; name: string; password: string }, requestId?: string): Promise<FirstAdmin>
  /** Creates the first administrator from the environment; undefined when there already is one. Throws `name_taken`, `weak_password`. */
  ensureAdmin(name: string, password: string): Promise<FirstAdmin | undefined>
}

/** Setup over the store and the directory, with a new random setup token. */
export function createSetup(parts: { store: Store; directory: Directory; clock: Clock; random: Random }): Setup {
  const { store, directory, clock, random } = parts
  const setupToken = random.base62(32)

  function setupNeeded(): boolean {
    for (const user of directory.users.all()) if (user.role === 'admin' && user.enabled && user.signsIn) return false
    return true
  }

  /** Undefined when an administrator was created concurrently, on this instance or another. */
  async function makeAdmin(name: string, password: string, by: Actor): Promise<FirstAdmin | undefined> {
    const { id, at } = newRecord(clock, random)
    const user = { ...newUser(name, id, at), role: 'admin' as const, passwordHash: await hashPassword(password) }
    const secret = newSecret(random)
    const key = newKey(id, keyName, secret, newRecord(clock, random))
    const opening = { amount: openingGrant, actor: by.id, reason: 'opening grant', at }
    const write = (store: Store) =>
      writeUser(store, by, 'create', id, (store) =>
        writeKey(store, by, 'create', key.id, async (store) => {
          const first = await createFirstAdmin(store, { user, opening, key })
          if (first) await noteMoney(store, by, 'grant', user, opening)
          return first
        }),
      )
    if (!(await uniquely(write(store)))) return undefined
    const made = directory.users.get(id)
    return made && { user: made, key: { name: keyName, key: secret } }
  }

  return {
    setupNeeded,
    setupToken,
    async runSetup({ token, name, password }, requestId) {
      const done = () => new GatewayError('setup_done', 'Parley already has an administrator. Sign in instead.')
      if (!setupNeeded()) throw done()
      if (!equalSecrets(token, setupToken)) {
        throw new GatewayError('invalid_setup_token', 'The setup token is wrong. Parley prints it when it starts.')
      }
      await demandStrongPassword(password, name)
      const made = await makeAdmin(name, password, { id: 'setup', name: null, ...(requestId !== undefined && { requestId }) })
      if (made === undefined) throw done()
      return made
    },
    async ensureAdmin(name, password) {
      if (!setupNeeded()) return undefined
      await demandStrongPassword(password, name, 'password', 'PARLEY_ADMIN_PASSWORD')
      return makeAdmin(name, password, { id: 'environment', name: null })
    },
  }
}
