/**
 * Owners of state that upstreams store: responses, conversations, containers, files. All tenants of a channel share its account, so an id
 * is only valid for the tenant that created it through Parley, and only on the channel and key that created it. Only creation makes an
 * owner; it is recorded in the journal, with the usage row of the request.
 */
import type { StateRef } from '#canonical/codec'
import type { Memory, SealedText } from './remembered-text.ts'

/** Where state is kept: ids of a channel and of its key. */
export interface Keeper {
  channel: string
  /** Null for a channel without keys. */
  key: string | null
}

export interface UpstreamState {
  /**
   * Records that this tenant created `refs` at this keeper: in memory at once, and on disk with the usage row that gets the returned texts.
   */
  created(tenant: string, keeper: Keeper, refs: readonly StateRef[]): SealedText[]
  /** The keepers of state that this tenant created, by `stateName`; unrecorded state is missing. Never rejects. */
  keepersOf(tenant: string, refs: readonly StateRef[]): Promise<Map<string, Keeper>>
  /** Forgets deleted state. */
  deleted(tenant: string, refs: readonly StateRef[]): void
}

/** Milliseconds: as long as vendors keep a response. */
const lifetime = 30 * 24 * 3_600_000

/** The name of a reference in maps. */
export const stateName = ({ kind, id }: StateRef): string => `upstream ${kind} ${id}`

/** Overwrites deleted state, because texts cannot be removed. */
const gone = 'null'

export function createUpstreamState(memory: Memory): UpstreamState {
  const noted = (refs: readonly StateRef[], text: string) => new Map(refs.map((ref) => [stateName(ref), text]))

  return {
    created: (tenant, keeper, refs) => memory.hand(tenant, noted(refs, JSON.stringify([keeper.channel, keeper.key])), lifetime),
    async keepersOf(tenant, refs) {
      const known = refs.length > 0 ? await memory.recall(tenant, refs.map(stateName)) : new Map<string, string>()
      const keepers = new Map<string, Keeper>()
      for (const [name, text] of known) {
        // Written by `created` and sealed since then, so it needs no validation.
        const keeper = JSON.parse(text) as [string, string | null] | null
        if (keeper) keepers.set(name, { channel: keeper[0], key: keeper[1] })
      }
      return keepers
    },
    deleted: (tenant, refs) => memory.remember(tenant, noted(refs, gone), lifetime),
  }
}
