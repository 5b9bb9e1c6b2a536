/** What the file asks for against what is stored: the writes that are needed, none when nothing changed. Pure. */
import type { NewChannel } from '#shared/console/channel'
import { GatewayError } from '#shared/errors'
import type { ChannelFields } from '#store/channels'
import { sameValue } from '#store/same-value'
import { wholeColumns } from './channel-fields.ts'
import { sameKeys } from './channel-keys.ts'
import type { Entry } from './channel-view.ts'

export type Step =
  | { do: 'insert'; channel: NewChannel }
  | { do: 'update'; id: string; columns: Partial<ChannelFields>; keys: NewChannel['keys'] }

/** Throws `name_taken` with `INDEX.name` as `param` for a channel that the console made. */
export function planDeclared(declared: readonly NewChannel[], stored: readonly Entry[]): Step[] {
  const byName = new Map(stored.map((entry) => [entry.record.name, entry]))
  const wanted = new Set(declared.map((channel) => channel.name))
  const left = stored.filter(({ record }) => record.managed === 'file' && record.enabled && !wanted.has(record.name))
  return [
    ...declared.flatMap((channel, at) => stepFor(channel, at, byName.get(channel.name))),
    ...left.map(({ record }): Step => ({ do: 'update', id: record.id, columns: { enabled: false }, keys: undefined })),
  ]
}

function stepFor(channel: NewChannel, at: number, known: Entry | undefined): Step[] {
  if (!known) return [{ do: 'insert', channel }]
  if (known.record.managed === 'console') {
    throw new GatewayError('name_taken', 'A channel of this name was made in the console; rename or delete one of the two.', {
      param: `${at}.name`,
    })
  }
  const given = channel.keys ?? []
  const keys = sameKeys(given, known.channel.keys) ? undefined : given
  const columns = changed(wholeColumns(channel), known.record)
  return keys || Object.keys(columns).length > 0 ? [{ do: 'update', id: known.record.id, columns, keys }] : []
}

function changed(wanted: Partial<ChannelFields>, stored: ChannelFields): Partial<ChannelFields> {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !sameValue(value, stored[name as keyof ChannelFields])))
}
