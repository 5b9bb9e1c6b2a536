/**
 * Owners of state that upstreams keep: responses, conversations, containers, files. All tenants of a channel share its account, so an id
 * is only good for who created it through Parley, and only on the channel and key that made it. Ownership begins with creation and with
 * nothing else; it is noted in the batches that `remembered-text.ts` writes.
 */
import type { StateRef } from '#canonical/codec'
import type { Memory } from './remembered-text.ts'

/** Where state is kept: ids of a channel and of its key. */
export interface Keeper {
  channel: string
  /** Null for a channel without keys. */
  key: string | null
}

/** Notes who created what. */
export interface UpstreamState {
  /** Records that this tenant created `refs` at this keeper. */
  created(tenant: string, keeper: Keeper, refs: readonly StateRef[]): void
  /** The keepers of what this tenant created, by `stateName`; what nobody noted is missing. Never rejects. */
  keepersOf(tenant: string, refs: readonly StateRef[]): Promise<Map<string, Keeper>>
  /** Forgets what was deleted. */
  deleted(tenant: string, refs: readonly StateRef[]): void
}

/** Milliseconds: as long as vendors keep a response. */
const lifetime = 30 * 24 * 3_600_000

/** The name of a reference in maps. */
export const stateName = ({ kind, id }: StateRef): string => `upstream ${kind} ${id}`

/** Written over what was deleted: texts cannot be taken back. */
const gone = 'null'

/** Owners kept in this memory. */
export function createUpstreamState(memory: Memory): UpstreamState {
  const note = (tenant: string, refs: readonly StateRef[], text: string) =>
    memory.remember(tenant, new Map(refs.map((ref) => [stateName(ref), text])), lifetime)

  return {
    created: (tenant, keeper, refs) => note(tenant, refs, JSON.stringify([keeper.channel, keeper.key])),
    async keepersOf(tenant, refs) {
      const known = refs.length > 0 ? await memory.recall(tenant, refs.map(stateName)) : new Map<string, string>()
      const keepers = new Map<string, Keeper>()
      for (const [name, text] of known) {
        // Written by `created` and sealed since then, so it needs no validation.
        const noted = JSON.parse(text) as [string, string | null] | null
        if (noted) keepers.set(name, { channel: noted[0], key: noted[1] })
      }
      return keepers
    },
    deleted: (tenant, refs) => note(tenant, refs, gone),
  }
}
