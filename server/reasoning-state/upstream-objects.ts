/**
 * What users made in the accounts of upstreams, for as long as it is there: who made it, when, and the channel and key that have it. Copies of
 * kept files, which objects there were made from, are among it.
 */
import type { ObjectApi, ObjectKind } from '#canonical/account-object'
import type { StateRef } from '#canonical/codec'
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { deleteObject, listObjects, type ObjectRecord, readCopies, readObjects, writeObject } from '#store/accounts/upstream-objects'
import type { Store } from '#store/engine/store'
import { type Keeper, stateName } from './upstream-state.ts'

/** An object, and where it is. */
export interface UpstreamObject extends StateRef {
  keeper: Keeper
  createdAt: Date
  /** The kept file that it is a copy of. */
  copyOf: string | null
}

/** What users made. */
export interface UpstreamObjects {
  /** Records what this tenant made; resolves when the database has it. `copyOf`: the kept file that it is a copy of. */
  made(tenant: string, api: ObjectApi, ref: StateRef, keeper: Keeper, copyOf?: string): Promise<void>
  /** Those of these ids that are the tenant's. */
  among(tenant: string, refs: readonly Pick<StateRef, 'id'>[]): Promise<UpstreamObject[]>
  /** The tenant's copies of a kept file. */
  copiesOf(tenant: string, file: string): Promise<UpstreamObject[]>
  /** A page of the tenant's objects, one more than `limit` where there are more. Rejects with `invalid_value` for an unknown `after`. */
  page(tenant: string, api: ObjectApi, kind: ObjectKind, page: Page): Promise<UpstreamObject[]>
  /** Forgets what is no longer there. */
  gone(tenant: string, ref: StateRef): Promise<void>
}

interface Page {
  limit: number
  after?: string
  isOldestFirst: boolean
}

const read = ({ kind, id, channel, key, copyOf, createdAt }: ObjectRecord): UpstreamObject => ({
  // Written by `made`.
  kind: kind as StateRef['kind'],
  id,
  keeper: { channel, key },
  createdAt,
  copyOf,
})

/** Objects in this store. */
export function createUpstreamObjects({ store, clock }: { store: Store; clock: Clock }): UpstreamObjects {
  const among = async (tenant: string, refs: readonly Pick<StateRef, 'id'>[]) =>
    (
      await readObjects(
        store,
        tenant,
        refs.map(({ id }) => id),
      )
    ).map(read)
  return {
    among,
    made: (tenant, api, { kind, id }, { channel, key }, copyOf) =>
      writeObject(store, { tenant, kind, id, api, channel, key, copyOf: copyOf ?? null, createdAt: new Date(clock.now()) }),
    copiesOf: async (tenant, file) => (await readCopies(store, tenant, file)).map(read),
    async page(tenant, api, kind, { limit, after, isOldestFirst }) {
      const last = after === undefined ? undefined : (await among(tenant, [{ id: after }])).find((one) => one.kind === kind)
      if (after !== undefined && !last)
        throw new GatewayError('invalid_value', 'The page goes on behind an object that is not in this list.')
      const bounds = { api, kind, isOldestFirst, most: limit + 1, ...(last && { after: last }) }
      return (await listObjects(store, tenant, bounds)).map(read)
    },
    gone: (tenant, { kind, id }) => deleteObject(store, tenant, kind, id),
  }
}

/** The keepers of those of `refs` that are among `objects`, by `stateName`. */
export function keepersAmong(objects: readonly UpstreamObject[], refs: readonly StateRef[]): Map<string, Keeper> {
  const named = new Set(refs.map(stateName))
  return new Map(objects.flatMap((one) => (named.has(stateName(one)) ? [[stateName(one), one.keeper] as const] : [])))
}
