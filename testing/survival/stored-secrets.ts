/**
 * Everything that Parley seals or digests before it stores it, opened with this build's code. One line for each identity that a
 * sealed text is bound to: whoever changes one of them can no longer read what is stored.
 */
import { masterKeyFits } from '#accounts/master-key'
import { createReasoningState } from '#reasoning-state/reasoning-state'
import { createMemory } from '#reasoning-state/remembered-text'
import { createStateOwners } from '#reasoning-state/state-owners'
import { openKey } from '#routing/channel-keys'
import { systemClock as clock } from '#runtime/clock'
import { sealer, sha256Hex, verifyPassword } from '#runtime/secrets'
import { loadUser } from '#store/accounts/users'
import { loadChannels } from '#store/channels/channels'
import type { Store } from '#store/engine/store'

export interface SecretsToOpen {
  masterKey: string
  /** Whose they are: a user's id. */
  tenant: string
  password: string
  /** A stored response's id. */
  response: string
  /** A tool call's id, whose reasoning is remembered. */
  call: string
  /** Reasoning state of an account, as the account gave it. */
  boundState: string
  /** An envelope in the client's hands. */
  envelope: string
  /** A conversation that Parley compacted, in the client's hands. */
  compaction: string
}

export interface OpenedSecrets {
  masterKeyFits: boolean | undefined
  /** By channel name. */
  channelKeys: Record<string, string[]>
  passwordFits: boolean
  /** The items of the stored conversation. */
  response: unknown
  /** What is put back before the call. */
  call: unknown
  /** The channel's id that made the state. */
  boundTo: string | undefined
  envelope: unknown
  compaction: unknown
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Opens all of them; what does not open is undefined, empty or false. */
export async function openSecrets(store: Store, given: SecretsToOpen): Promise<OpenedSecrets> {
  const sealing = sealer(given.masterKey)
  const parts = { store, sealer: sealing, clock, log: silent }
  const reasoningState = createReasoningState(parts)
  const { tenant } = given
  const channels = await loadChannels(store)
  const call = { kind: 'call', callId: given.call, name: 'look', form: 'json', argsText: '{}' } as const
  const completed = await reasoningState.restoreDropped(tenant, { turns: [{ role: 'assistant', parts: [call] }] } as never)
  const makers = await createStateOwners(createMemory(parts)).makersOf(tenant, [
    { dialect: 'responses', kind: 'encrypted', value: given.boundState },
  ])
  return {
    masterKeyFits: await masterKeyFits(store, sealing),
    channelKeys: Object.fromEntries(channels.map(({ name, keys }) => [name, keys.map((key) => openKey(key, sealing, silent).secret)])),
    passwordFits: await verifyPassword(given.password, (await loadUser(store, tenant))?.passwordHash ?? ''),
    response: (await reasoningState.load(tenant, given.response).catch(() => undefined))?.items,
    call: completed.turns.flatMap(({ parts: all }) => all.filter(({ kind }) => kind !== 'call')),
    boundTo: makers.get(given.boundState),
    envelope: reasoningState.unseal(tenant, { dialect: 'chat', kind: 'encrypted', value: given.envelope }),
    compaction: reasoningState.unseal(tenant, { dialect: 'responses', kind: 'compaction', value: given.compaction }),
  }
}

/** The digest under which a key or a session is stored. */
export const storedDigest = sha256Hex
