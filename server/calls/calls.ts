/**
 * WebRTC and SIP calls held by upstreams: recording, finding and ending them. They are monitored and settled in
 * `#relay/realtime/watched-call`.
 */
import type { CallFacts, KeptCall } from '#canonical/operation/kept-call'
import type { Clock, Random } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import type { Store } from '#store/engine/store'
import { type CallRecord, endCall, findCall, insertCall, openCalls, sweepCalls } from '#store/realtime/calls'

/** A call that was opened. */
export type NewCall = Pick<KeptCall, 'id' | 'tenant' | 'keyId' | 'requestId'> & { facts: CallFacts }

/** Calls by their ids. */
export interface Calls {
  /** The id of one that Parley opens. */
  newId(): string
  /** Records one; its job is running when this resolves. False when there is one with this id. */
  begin(call: NewCall): Promise<boolean>
  /** Of any tenant. Undefined when there is none. */
  find(id: string): Promise<KeptCall | undefined>
  /** Running ones, of the tenant if given, newest first. */
  open(bounds: { tenant?: string; most: number }): Promise<KeptCall[]>
  end(id: string): Promise<void>
  /** Runs on a schedule: deletes what has expired. */
  sweep(): Promise<number>
}

/** Dependencies of calls. */
export interface CallParts {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Random
  /** Begins the job of a call, in this process. */
  begun(id: string): Promise<void>
}

/** The kind of their jobs. */
export const callKind = 'call'

/** Milliseconds that a row is kept: longer than any call. */
const lifeMs = 24 * 3_600_000
/** Ids of Parley's and of vendors' calls. */
const possible = /^[\w-]{1,200}$/

const sealedAs = (id: string) => JSON.stringify(['realtime call', id])

/** Calls in this store. */
export function createCalls({ store, sealer, clock, random, begun }: CallParts): Calls {
  const now = () => new Date(clock.now())
  function shown({ sealed, expiresAt: _, ...row }: CallRecord): KeptCall {
    return { ...(JSON.parse(sealer.open(sealed, sealedAs(row.id))) as CallFacts), ...row }
  }
  return {
    newId: () => `rtc_${random.hex(16)}`,
    async begin({ facts, ...call }) {
      const createdAt = now()
      const sealed = sealer.seal(JSON.stringify(facts), sealedAs(call.id))
      const row = { ...call, createdAt, endedAt: null, expiresAt: new Date(createdAt.getTime() + lifeMs), sealed }
      if (!(await insertCall(store, row))) return false
      await begun(call.id)
      return true
    },
    async find(id) {
      const row = possible.test(id) ? await findCall(store, id, now()) : undefined
      return row && shown(row)
    },
    open: async (bounds) => (await openCalls(store, { ...bounds, now: now() })).map(shown),
    end: (id) => endCall(store, id, now()),
    sweep: () => sweepCalls(store, now()),
  }
}
