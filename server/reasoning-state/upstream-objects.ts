/**
 * Objects that users created in the accounts of upstreams, as long as they exist: their owner, time of creation, channel and key. This
 * includes copies of stored files that such objects were created from.
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
  /** The stored file that it is a copy of. */
  copyOf: string | null
}

export interface UpstreamObjects {
  /** Records an object that this tenant created; resolves when the database has it. `copyOf`: the stored file that it is a copy of. */
  made(tenant: string, api: ObjectApi, ref: StateRef, keeper: Keeper, copyOf?: string): Promise<void>
  /** The tenant's objects among these ids. */
  among(tenant: string, refs: readonly Pick<StateRef, 'id'>[]): Promise<UpstreamObject[]>
  /** The tenant's copies of a stored file. */
  copiesOf(tenant: string, file: string): Promise<UpstreamObject[]>
  /** A page of the tenant's objects, with one more than `limit` if there are more. Rejects with `invalid_value` for an unknown `after`. */
  page(tenant: string, api: ObjectApi, kind: ObjectKind, page: Page): Promise<UpstreamObject[]>
  /** Forgets an object that no longer exists. */
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
        throw new GatewayError('invalid_value', 'The page is to start after an object that is not in this list.')
      const bounds = { api, kind, isOldestFirst, most: limit + 1, ...(last && { after: last }) }
      return (await listObjects(store, tenant, bounds)).map(read)
    },
    gone: (tenant, { kind, id }) => deleteObject(store, tenant, kind, id),
  }
}

/** The keepers of the `refs` that are among `objects`, by `stateName`. */
export function keepersAmong(objects: readonly UpstreamObject[], refs: readonly StateRef[]): Map<string, Keeper> {
  const named = new Set(refs.map(stateName))
  return new Map(objects.flatMap((one) => (named.has(stateName(one)) ? [[stateName(one), one.keeper] as const] : [])))
}
