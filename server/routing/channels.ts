/**
 * The registry of channels: every channel in memory with its secrets decrypted, looked up by group and model, and the only way to
 * change one. It sends no requests. Reads never touch the database; a change on any instance refreshes the mirror, which drops the
 * index. Start with `createChannels`; validation is in `channel-fields.ts`.
 */

import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Sealer } from '#runtime/secrets'
import { type Actor, theFile } from '#shared/console/audit'
import type { ChannelKeyPatch, ChannelPatch, ChannelRow, NewChannel } from '#shared/console/channel'
import { GatewayError } from '#shared/errors'
import { auditedAll, type Deed } from '#store/accounts/audit'
import {
  type ChannelRecord,
  deleteChannel,
  insertChannels,
  loadChannel,
  loadChannels,
  updateChannel,
  updateChannelKey,
} from '#store/channels/channels'
import { mirror } from '#store/engine/mirror'
import { sqlState, uniqueViolation } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import { vendors } from '#vendors/index'
import type { Channel, Channels } from './channel.ts'
import { type ChannelRules, checkChannelFields, checkNewChannel, columnsOf, requireKeys, wholeColumns } from './channel-fields.ts'
import { auditedChannels, demandOwnName, keyChangeOf, openKey, sealKeys } from './channel-keys.ts'
import { carriesSecrets, hasPlainSecrets, openSecrets, revealed, sealSecrets, suspectsOf } from './channel-secrets.ts'
import { channelOf, type Entry, rowOf } from './channel-view.ts'
import { planDeclared, type Update } from './declared.ts'
import { type DemoMode, demoRecord } from './demo-channel.ts'

/** What `createChannels` needs. */
export interface ChannelParts {
  store: Store
  clock: Clock
  random: Random
  log: Log
  sealer: Sealer
  demo: DemoMode
  /** The default proxy. */
  proxy?: string | undefined
  rules: ChannelRules
}

/** The registry with the writes of the console and the file. Every write throws GatewayError with the field as `param`. */
export interface ChannelRegistry extends Channels {
  /** True while the built-in demo channel is active. */
  demo(): boolean
  rows(): ChannelRow[]
  /** Throws `not_found`. */
  row(id: string): ChannelRow
  /** A channel for a test before it is created; it gets no requests. Throws as `create` does. */
  draft(channel: NewChannel): Channel
  create(by: Actor, channel: NewChannel): Promise<ChannelRow>
  /**
   * `keys`, when given, replaces all keys; a changed `baseUrl` requires them (`key_required`). `addKeys` and `removeKeys` leave the others.
   * Throws `managed_by_file`.
   */
  patch(by: Actor, id: string, fields: ChannelPatch): Promise<ChannelRow>
  /** Changes one key, not its secret. Throws `managed_by_file`, `not_found`, and `invalid_value` for the name of another key. */
  patchKey(by: Actor, id: string, keyId: string, fields: ChannelKeyPatch): Promise<ChannelRow>
  /** Throws `managed_by_file`. */
  remove(by: Actor, id: string): Promise<void>
  /**
   * Applies all channels of the file, matched by name: writes what differs and disables those no longer in the file. Throws before
   * the first write, with `INDEX.FIELD` as `param`; `name_taken` at `INDEX.name` for a channel created in the console.
   */
  declare(channels: readonly NewChannel[]): Promise<void>
}

/** Loads all channels into memory. */
export async function createChannels(parts: ChannelParts): Promise<ChannelRegistry> {
  const { store, clock, random, log, sealer, rules } = parts

  function entryOf(kept: ChannelRecord): Entry | undefined {
    const record = opened(kept)
    const vendor = Object.hasOwn(vendors, record.vendor) ? vendors[record.vendor] : undefined
    if (!vendor) log.error({ channelId: record.id }, 'stored channel has a vendor unknown to this build and is not used')
    const keys = record.keys.map((key) => openKey(key, sealer, log))
    return vendor && { record, channel: channelOf(record, vendor, keys, parts.proxy) }
  }

  /** A channel whose secrets cannot be opened is kept, but disabled. */
  function opened(record: ChannelRecord): ChannelRecord {
    try {
      return openSecrets(record, record.id, sealer)
    } catch (thrown) {
      log.error({ err: thrown, channelId: record.id }, 'secrets of a channel cannot be decrypted, and it is not used; enter them again')
      return { ...record, enabled: false }
    }
  }

  /** Earlier versions stored them as they were entered. */
  async function sealOld(): Promise<void> {
    for (const record of await loadChannels(store)) {
      if (hasPlainSecrets(record)) await updateChannel(store, record.id, sealSecrets(suspectsOf(record), record.id, sealer))
    }
  }

  await sealOld()
  let offering: ChannelsByModel | undefined
  const stored = await mirror<Entry>(store, {
    table: 'channels',
    id: (entry) => entry.record.id,
    loadAll: async () => (await loadChannels(store)).map(entryOf).filter((entry) => entry !== undefined),
    load: async (id) => {
      const record = await loadChannel(store, id)
      return record && entryOf(record)
    },
    onChange: () => {
      offering = undefined
    },
  })

  const builtIn = entryOf(demoRecord(new Date(clock.now())))
  const demo = () => parts.demo === 'on' || (parts.demo === 'auto' && stored.all().next().done === true)
  const entries = () => [...(builtIn && demo() ? [builtIn] : []), ...stored.all()]
  const entry = (id: string) => stored.get(id) ?? (builtIn?.record.id === id && demo() ? builtIn : undefined)
  const index = () => {
    offering ??= channelsByModel(entries().map(({ channel }) => channel))
    return offering
  }

  function found(id: string): Entry {
    const known = entry(id)
    if (!known) throw new GatewayError('not_found', 'There is no such channel.')
    return known
  }

  function writable(id: string): Entry {
    const known = found(id)
    if (known.record.managed === 'console') return known
    throw new GatewayError('managed_by_file', 'This channel is declared in the configuration file; change it there.')
  }

  /** In `auto` the new channel replaces the built-in one, whose name therefore counts as free. */
  function refuseTaken(name: string | undefined, self?: string): void {
    const taken = [...stored.all()].some(({ record }) => record.name === name && record.id !== self)
    if (taken || (parts.demo === 'on' && name === builtIn?.record.name)) throw nameTaken()
  }

  const write = <T>(by: Actor, deeds: readonly Deed[], work: (store: Store) => Promise<T>) =>
    named(auditedAll(store, by, deeds, auditedChannels, work))

  function recordOf(channel: NewChannel, managed: ChannelRecord['managed']): ChannelRecord {
    const id = `ch_${random.hex(12)}`
    const createdAt = new Date(clock.now())
    const keys = sealKeys(channel.keys ?? [], id, createdAt, { sealer, random })
    return { ...sealSecrets(wholeColumns(channel), id, sealer), id, managed, createdAt, keys }
  }

  function sealed(keys: NonNullable<Update['keys']>, id: string, at: Date) {
    if (!('added' in keys)) return sealKeys(keys, id, at, { sealer, random })
    return { added: sealKeys(keys.added, id, at, { sealer, random }), removed: keys.removed }
  }

  async function insert(by: Actor, records: readonly ChannelRecord[]): Promise<void> {
    const deeds = records.map(({ id }) => ({ action: 'channel.create', target: id }))
    if (deeds.length > 0) await write(by, deeds, (store) => insertChannels(store, records))
  }

  async function update(by: Actor, updates: readonly Update[]): Promise<void> {
    const deeds = updates.map(({ id }) => ({ action: 'channel.change', target: id }))
    if (deeds.length === 0) return
    const at = new Date(clock.now())
    await write(by, deeds, async (store) => {
      for (const { id, columns, keys } of updates)
        await updateChannel(store, id, sealSecrets(columns, id, sealer), keys && sealed(keys, id, at))
    })
  }

  return {
    *all() {
      for (const { channel } of entries()) yield channel
    },
    get: (id) => entry(id)?.channel,
    offering: (group, model) => index().channels(group, model),
    modelsOf: (group) => index().models(group),
    isSwitchedOff: (group, model) => index().isSwitchedOff(group, model),
    demo,
    rows: () => entries().map(rowOf),
    row: (id) => rowOf(found(id)),

    draft(channel) {
      checkNewChannel(vendors[channel.vendor], channel, rules)
      const known = entryOf(recordOf(channel, 'console'))
      if (!known) throw new GatewayError('invalid_value', 'vendor: expected one that this build knows.', { param: 'vendor' })
      return known.channel
    },

    async create(by, channel) {
      checkNewChannel(vendors[channel.vendor], channel, rules)
      refuseTaken(channel.name)
      const record = recordOf(channel, 'console')
      await insert(by, [record])
      return rowOf(found(record.id))
    },

    async patch(by, id, entered) {
      const known = writable(id)
      const { channel, record: current } = known
      const fields = revealed(entered, { ...suspectsOf(current), baseUrl: channel.baseUrl })
      checkChannelFields(channel.vendor, fields, rules)
      refuseTaken(fields.name, id)
      requireKeys(known, fields)
      if (carriesSecrets({ ...suspectsOf(current), baseUrl: channel.baseUrl }, fields)) throw secretsRequired()
      await update(by, [{ id, columns: columnsOf(fields), keys: keyChangeOf(channel, fields) ?? fields.keys }])
      return rowOf(found(id))
    },

    async patchKey(by, id, keyId, fields) {
      demandOwnName(writable(id).channel.keys, keyId, fields.name)
      await write(by, [{ action: 'channel.change', target: id }], (store) => updateChannelKey(store, id, keyId, fields))
      return rowOf(found(id))
    },

    async remove(by, id) {
      writable(id)
      await write(by, [{ action: 'channel.remove', target: id }], (store) => deleteChannel(store, id))
    },

    async declare(channels) {
      for (const [at, channel] of channels.entries()) {
        within(at, () => {
          checkNewChannel(vendors[channel.vendor], channel, rules)
          if (parts.demo === 'on' && channel.name === builtIn?.record.name) throw nameTaken()
        })
      }
      const { inserts, updates } = planDeclared(channels, [...stored.all()])
      await insert(
        theFile,
        inserts.map((channel) => recordOf(channel, 'file')),
      )
      await update(theFile, updates)
    },
  }
}

const secretsRequired = () =>
  new GatewayError('key_required', 'Another host requires entering the secrets in headers, options and the address again.', {
    param: 'baseUrl',
  })

const nameTaken = () => new GatewayError('name_taken', 'Another channel has this name.', { param: 'name' })

/** Another instance may have taken the name since the mirror was read: a unique violation becomes `name_taken`. */
async function named<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (thrown) {
    throw sqlState(thrown) === uniqueViolation ? nameTaken() : thrown
  }
}

function within(at: number, check: () => void): void {
  try {
    check()
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    throw new GatewayError(thrown.code, thrown.message, { param: `${at}.${thrown.param ?? 'name'}`, cause: thrown })
  }
}

export interface ChannelsByModel {
  channels(group: string, model: string): readonly Channel[]
  models(group: string): readonly string[]
  isSwitchedOff(group: string, model: string): boolean
}

const none: readonly never[] = []

export function channelsByModel(channels: Iterable<Channel>): ChannelsByModel {
  const byGroup = new Map<string, Map<string, Channel[]>>()
  const disabled: Channel[] = []
  for (const channel of channels) {
    if (!channel.enabled) {
      disabled.push(channel)
      continue
    }
    for (const group of channel.groups) {
      const byModel = byGroup.get(group) ?? new Map<string, Channel[]>()
      byGroup.set(group, byModel)
      for (const model of channel.models.keys()) {
        const offering = byModel.get(model)
        if (offering) offering.push(channel)
        else byModel.set(model, [channel])
      }
    }
  }
  const names = new Map([...byGroup].map(([group, byModel]) => [group, [...byModel.keys()].sort()]))
  return {
    channels: (group, model) => byGroup.get(group)?.get(model) ?? none,
    models: (group) => names.get(group) ?? none,
    isSwitchedOff: (group, model) =>
      !byGroup.get(group)?.has(model) && disabled.some((channel) => channel.groups.has(group) && channel.models.has(model)),
  }
}
