/** Keys of a channel: sealed with their row id for the database, decrypted in memory, shown to people as a hint. */
import type { Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Sealer } from '#runtime/secrets'
import type { ChannelPatch, NewChannel } from '#shared/console/channel'
import { GatewayError } from '#shared/errors'
import { type ChannelRecord, type KeyRecord, loadChannels } from '#store/channels/channels'
import type { Store } from '#store/engine/store'
import type { Channel, ChannelKey } from './channel.ts'

type GivenKeys = NonNullable<NewChannel['keys']>

/** Enough of a secret to recognise it, and no more: `sk-...Ab3d`; short secrets are not shown at all. */
export function hintOf(secret: string): string {
  const prefix = secret.startsWith('sk-') ? 'sk-' : ''
  return `${prefix}...${secret.length > 8 ? secret.slice(-4) : ''}`
}

/** New rows for a channel's keys. Their ids sort in the given order. */
export function sealKeys(given: GivenKeys, channelId: string, createdAt: Date, parts: { sealer: Sealer; random: Random }): KeyRecord[] {
  const batch = parts.random.hex(12)
  return plainKeys(given).map(({ secret, name, weight }, index) => {
    const id = `ck_${batch}_${String(index).padStart(4, '0')}`
    return { id, channelId, name, sealed: parts.sealer.seal(secret, id), hint: hintOf(secret), weight, enabled: true, createdAt }
  })
}

/** Keys that a change adds and removes, apart from those that stay. */
export interface GivenChange {
  added: GivenKeys
  /** Ids. */
  removed: readonly string[]
}

/**
 * The change by `addKeys` and `removeKeys`; undefined if neither is set. Added keys without a name get a free one. Throws `invalid_value`
 * together with `keys`, for a name that another key has and for an unknown id, and `missing_field` if none would be left.
 */
export function keyChangeOf({ keys, vendor }: Pick<Channel, 'keys' | 'vendor'>, fields: ChannelPatch): GivenChange | undefined {
  const { keys: replaced, addKeys = [], removeKeys: removed = [] } = fields
  if (fields.addKeys === undefined && fields.removeKeys === undefined) return undefined
  if (replaced !== undefined) throw invalid('keys: expected without addKeys and removeKeys.', 'keys')
  const gone = removed.findIndex((id) => !keys.some((key) => key.id === id))
  if (gone >= 0) throw invalid('Expected the id of a key of this channel.', `removeKeys.${gone}`)
  const names = new Set(keys.filter(({ id }) => !removed.includes(id)).map(({ name }) => name))
  if (names.size + addKeys.length === 0 && !vendor.keyless) {
    throw new GatewayError('missing_field', 'This vendor needs at least one key.', { param: 'removeKeys' })
  }
  const added = addKeys.map((entry, at) => {
    const { key, name = freeName(names), weight = 1 } = typeof entry === 'string' ? { key: entry } : entry
    if (names.has(name)) throw invalid('Another key of the channel has this name.', `addKeys.${at}.name`)
    names.add(name)
    return { key, name, weight }
  })
  return { added, removed }
}

function freeName(taken: ReadonlySet<string>): string {
  let number = taken.size + 1
  while (taken.has(`key ${number}`)) number += 1
  return `key ${number}`
}

const invalid = (message: string, param: string) => new GatewayError('invalid_value', message, { param })

/**
 * Decrypts a key. One that cannot be decrypted is kept, disabled and empty: it is never sent, and the channel is not mistaken for one
 * without keys.
 */
export function openKey(record: KeyRecord, sealer: Sealer, log: Log): ChannelKey {
  const { id, name, hint, weight, enabled } = record
  try {
    return { id, name, hint, weight, enabled, secret: sealer.open(record.sealed, id) }
  } catch (thrown) {
    log.error({ err: thrown, channelKey: id }, 'channel key cannot be decrypted and is not used; enter it again')
    return { id, name, hint, weight, enabled: false, secret: '' }
  }
}

/** Are the given keys the ones in use, with the same names and weights, in the same order? */
export function sameKeys(given: GivenKeys, current: readonly ChannelKey[]): boolean {
  const wanted = plainKeys(given)
  return (
    wanted.length === current.length &&
    wanted.every(({ secret, name, weight }, index) => {
      const key = current[index]
      return key?.enabled === true && key.secret === secret && key.name === name && key.weight === weight
    })
  )
}

function plainKeys(given: GivenKeys): { secret: string; name: string; weight: number }[] {
  return given.map((entry, index) => {
    const { key, name = `key ${index + 1}`, weight = 1 } = typeof entry === 'string' ? { key: entry } : entry
    return { secret: key, name, weight }
  })
}

/** The channels as the audit trail shows them: keys by their content, not by their row ids. */
export async function auditedChannels(store: Store, ids: readonly string[]): Promise<Map<string, object>> {
  const keyOf = ({ name, hint, weight, enabled, sealed }: ChannelRecord['keys'][number]) => ({ name, hint, weight, enabled, sealed })
  return new Map((await loadChannels(store, ids)).map((record) => [record.id, { ...record, keys: record.keys.map(keyOf) }]))
}

/** Throws `not_found` if no key has this id, `invalid_value` if another key has the name. */
export function demandOwnName(keys: readonly ChannelKey[], id: string, name: string | undefined): void {
  if (!keys.some((key) => key.id === id)) throw new GatewayError('not_found', 'This channel has no such key.')
  if (name === undefined || !keys.some((key) => key.id !== id && key.name === name)) return
  throw new GatewayError('invalid_value', 'name: expected a name that no other key of the channel has.', { param: 'name' })
}
