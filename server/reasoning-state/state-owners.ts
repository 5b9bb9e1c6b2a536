/**
 * Whose state is whose. Some makers bind what they seal to the account that asked: another account of the same vendor cannot
 * read it. Bytes that pass carry no mark of where they came from, so it is remembered by the state itself.
 */
import type { Opaque } from '#canonical/conversation'
import type { Dialect } from '#shared/ids'
import type { Memory } from './remembered-text.ts'

/** Of other dialects every account of the vendor reads every state. */
const boundToAccount: ReadonlySet<Dialect> = new Set(['responses'])

/** Milliseconds: a compacted conversation is as long-lived as a kept one, what was thought in it is not. */
const compactionLifetime = 30 * 24 * 3_600_000

export interface StateOwners {
  /** `maker` (a channel's id) gave these states to this tenant. */
  claim(tenant: string, maker: string, states: readonly Opaque[]): void
  /** Makers by value of the state, in the order of `states`; nothing for what is not known. Never rejects. */
  makersOf(tenant: string, states: readonly Opaque[]): Promise<Map<string, string>>
}

/** No call is remembered under such a name. */
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
