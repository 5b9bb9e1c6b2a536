/**
 * Everything that Parley seals or hashes before storing it, opened with this build's code. There is one line for each identity that a
 * sealed text is bound to: changing one of them makes stored data unreadable.
 */
import { masterKeyFits } from '#accounts/master-key'
import { createReasoningState } from '#reasoning-state/reasoning-state'
import { createMemory } from '#reasoning-state/remembered-text'
import { createStateOwners } from '#reasoning-state/state-owners'
import { openKey } from '#routing/channel-keys'
import { systemClock as clock, systemRandom } from '#runtime/clock'
import { sealer, sha256Hex, verifyPassword } from '#runtime/secrets'
import { loadUser } from '#store/accounts/users'
import { loadChannels } from '#store/channels/channels'
import type { Store } from '#store/engine/store'

/** Identifies the sealed things to open. */
export interface SecretsToOpen {
  masterKey: string
  /** The id of the user who owns them. */
  tenant: string
  password: string
  /** A stored response's id. */
  response: string
  /** The id of a tool call with remembered reasoning. */
  call: string
  /** Reasoning state bound to an upstream account, as the client has it. */
  boundState: string
  /** A sealed envelope that a client holds. */
  envelope: string
  /** A conversation compacted by Parley that a client holds. */
  compaction: string
}

/** What was opened. */
export interface OpenedSecrets {
  masterKeyFits: boolean | undefined
  /** By channel name. */
  channelKeys: Record<string, string[]>
  passwordFits: boolean
  /** The items of the stored conversation. */
  response: unknown
  /** What is stored under the call's id, where versions stored it that identified calls by their ids alone. */
  call: unknown
  /** What is restored of it: nothing, since it has no owner. */
  restored: unknown[]
  /** The id of the channel that produced the state. */
  boundTo: string | undefined
  envelope: unknown
  compaction: unknown
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Opens all of them; what cannot be opened is undefined, empty or false. */
export async function openSecrets(store: Store, given: SecretsToOpen): Promise<OpenedSecrets> {
  const sealing = sealer(given.masterKey)
  const parts = { store, sealer: sealing, clock, random: systemRandom, log: silent }
  const reasoningState = createReasoningState(parts)
  const { tenant } = given
  const channels = await loadChannels(store)
  const call = { kind: 'call', callId: given.call, name: 'look', form: 'json', argsText: '{}' } as const
  const user = { role: 'user', parts: [{ kind: 'text', text: 'scenario loop' }] }
  const completed = await reasoningState.restoreDropped(tenant, {
    instructions: [],
    turns: [user, { role: 'assistant', parts: [call] }],
  } as never)
  const memory = createMemory(parts)
  const ofCall = `call ${given.call}`
  const makers = await createStateOwners(memory).makersOf(tenant, [{ dialect: 'responses', kind: 'encrypted', value: given.boundState }])
  return {
    masterKeyFits: await masterKeyFits(store, sealing),
    channelKeys: Object.fromEntries(channels.map(({ name, keys }) => [name, keys.map((key) => openKey(key, sealing, silent).secret)])),
    passwordFits: await verifyPassword(given.password, (await loadUser(store, tenant))?.passwordHash ?? ''),
    response: (await reasoningState.load(tenant, given.response).catch(() => undefined))?.items,
    call: (await memory.recall(tenant, [ofCall])).get(ofCall),
    restored: completed.turns.flatMap(({ parts: all }) => all.filter((part) => part.kind === 'reasoning' || 'opaque' in part)),
    boundTo: makers.get(given.boundState),
    envelope: reasoningState.unseal(tenant, { dialect: 'chat', kind: 'encrypted', value: given.envelope }),
    compaction: reasoningState.unseal(tenant, { dialect: 'responses', kind: 'compaction', value: given.compaction }),
  }
}

/** The hash under which a key or a session is stored. */
export const storedDigest = sha256Hex
