/** Compares the channels of the file with the stored ones and returns the writes needed, none when nothing changed. Pure. */
import type { NewChannel } from '#shared/console/channel'
import { GatewayError } from '#shared/errors'
import { sameValue } from '#shared/same-value'
import type { ChannelFields } from '#store/channels/channels'
import { wholeColumns } from './channel-fields.ts'
import { type GivenChange, sameKeys } from './channel-keys.ts'
import type { Entry } from './channel-view.ts'

/** Changes to one stored channel. */
export interface Update {
  id: string
  columns: Partial<ChannelFields>
  /** Undefined = unchanged. */
  keys: NewChannel['keys'] | GivenChange
}

/** Plans the inserts and updates. Throws `name_taken` with `INDEX.name` as `param` for a channel created in the console. */
export function planDeclared(declared: readonly NewChannel[], stored: readonly Entry[]): { inserts: NewChannel[]; updates: Update[] } {
  const byName = new Map(stored.map((entry) => [entry.record.name, entry]))
  const wanted = new Set(declared.map((channel) => channel.name))
  const left = stored.filter(({ record }) => record.managed === 'file' && record.enabled && !wanted.has(record.name))
  const changed = declared.flatMap((channel, at) => updateOf(channel, at, byName.get(channel.name)))
  return {
    inserts: declared.filter(({ name }) => !byName.has(name)),
    updates: [...changed, ...left.map(({ record }): Update => ({ id: record.id, columns: { enabled: false }, keys: undefined }))],
  }
}

function updateOf(channel: NewChannel, at: number, known: Entry | undefined): Update[] {
  if (!known) return []
  if (known.record.managed === 'console') {
    throw new GatewayError('name_taken', 'A channel with this name was already created in the console. Rename or delete one of the two.', {
      param: `${at}.name`,
    })
  }
  const given = channel.keys ?? []
  const keys = sameKeys(given, known.channel.keys) ? undefined : given
  const columns = changed(wholeColumns(channel), known.record)
  return keys || Object.keys(columns).length > 0 ? [{ id: known.record.id, columns, keys }] : []
}

function changed(wanted: Partial<ChannelFields>, stored: ChannelFields): Partial<ChannelFields> {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !sameValue(value, stored[name as keyof ChannelFields])))
}
