/**
 * Owners of state. Some vendors bind sealed state to the account that requested it: another account of the same vendor cannot read
 * it. The bytes do not show where they came from, so the owner is remembered by the state itself.
 */
import type { Opaque } from '#canonical/conversation'
import type { Dialect } from '#shared/ids'
import type { Memory } from './remembered-text.ts'

/** The dialects whose state is bound to an account; in the others every account of the vendor can read it. */
const boundToAccount: ReadonlySet<Dialect> = new Set(['responses'])

/** Milliseconds: a compacted conversation is kept as long as a stored one; reasoning is not. */
const compactionLifetime = 30 * 24 * 3_600_000

/** Remembers which channel produced a state. */
export interface StateOwners {
  /** Records that `maker` (a channel's id) produced these states for this tenant. */
  claim(tenant: string, maker: string, states: readonly Opaque[]): void
  /** Channel ids by the value of the state, in the order of `states`; unknown states are missing. Never rejects. */
  makersOf(tenant: string, states: readonly Opaque[]): Promise<Map<string, string>>
}

/** No call's name has this prefix. */
const nameOf = ({ value }: Opaque) => `state ${value}`
const isBound = ({ dialect }: Opaque) => boundToAccount.has(dialect)

export function createStateOwners(memory: Memory): StateOwners {
  return {
    claim(tenant, maker, states) {
      for (const state of states.filter(isBound)) {
        const lasts = state.kind === 'compaction' ? compactionLifetime : undefined
        memory.remember(tenant, new Map([[nameOf(state), maker]]), lasts)
      }
    },
    async makersOf(tenant, states) {
      const bound = states.filter(isBound)
      const known = bound.length > 0 ? await memory.recall(tenant, bound.map(nameOf)) : new Map<string, string>()
      return new Map(
        bound.flatMap((state): [string, string][] => {
          const maker = known.get(nameOf(state))
          return maker === undefined ? [] : [[state.value, maker]]
        }),
      )
    },
  }
}
