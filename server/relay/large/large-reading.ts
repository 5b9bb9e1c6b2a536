/** Sealed state in a large conversation: found by the worker, looked up and opened on this thread, which has the secrets. */
import type { Opaque } from '#canonical/conversation'
import type { RelayParts } from '#relay/contract/ask'
import type { LargeBody, OpenedStates } from '#relay/contract/large-body'
import type { Makers } from '#relay/conversation/reading'
import { nextTurn } from '#runtime/turns'
import { GatewayError } from '#shared/errors'

/** Sealed states opened before the event loop gets a turn. */
const statesAtOnce = 64

/** The sealed state of a large conversation, looked up and opened once. */
export interface LargeReading {
  /** Never rejects. */
  makers(): Promise<Makers>
  /** Rejects with GatewayError when the body cannot be read. */
  opened(): Promise<OpenedStates>
}

/** Lookups are made on demand. */
export function readingOf({ reasoningState }: RelayParts, tenant: string, large: LargeBody): LargeReading {
  let makers: Promise<Makers> | undefined
  let opened: Promise<OpenedStates> | undefined
  const noStates: OpenedStates = new Map()
  const sealed = large.head.sealed ?? []
  let inBody: Promise<readonly Opaque[]> | undefined
  const statesInBody = () => (inBody ??= large.states())

  async function open(): Promise<OpenedStates> {
    if (!large.hasEnvelopes) return noStates
    const theirs = await reasoningState.makersOf(tenant, sealed)
    const inside = new Map<string, Opaque | null>()
    let done = 0
    for (const state of await statesInBody()) {
      if (theirs.has(state.value) || inside.has(state.value)) continue
      const found = reasoningState.unseal(tenant, state)
      if (found !== state) inside.set(state.value, found ?? null)
      if (++done % statesAtOnce === 0) await nextTurn()
    }
    return inside
  }
  const openOnce = () => (opened ??= open())

  /** An unreadable body is refused later, if it has to be converted. */
  async function states(): Promise<readonly Opaque[]> {
    if (!large.hasEnvelopes) return sealed
    try {
      const inside = await openOnce()
      return (await statesInBody()).flatMap((state) => {
        const found = inside.get(state.value)
        return found === undefined ? [state] : found === null ? [] : [found]
      })
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.blame === 'client') return []
      throw thrown
    }
  }

  async function find(): Promise<Makers> {
    const found = await states()
    return found.length === 0 ? new Map() : reasoningState.makersOf(tenant, found)
  }
  return { makers: () => (makers ??= find()), opened: openOnce }
}
