/**
 * The difference between a file in the form of parley.yaml and a running Parley. Rows are matched by name; fields that the file does not
 * name are left as they are, and rows that it does not name too. Pure: the API is read by `config-commands.ts`.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Declaration } from '#declare/declaration'
import type { ChannelRow, NewChannel } from '#shared/console/channel'
import type { PriceRow } from '#shared/console/price'
import type { SettingsRow } from '#shared/console/settings'
import { amounts, byFile, type Change, type Present, patch, row, same, seg, shown } from './config-change.ts'
import { heldPlan, teamChanges } from './config-teams.ts'

/** The changes, in the order in which they can be made: groups before what names them. */
export function difference(wanted: Declaration, present: Present): Change[] {
  return [
    ...wanted.groups.flatMap(({ name, fields }) =>
      row(
        'group',
        name,
        { ...fields },
        present.groups.find((one) => one.name === name),
      ),
    ),
    ...wanted.prices.flatMap(({ model, fields }) =>
      price(
        model,
        fields,
        present.prices.find((one) => one.model === model),
      ),
    ),
    ...wanted.channels.flatMap((channel) =>
      channelChange(
        channel,
        present.channels.find(({ name }) => name === channel.name),
      ),
    ),
    ...wanted.plans.flatMap(({ name, ...fields }) =>
      row(
        'plan',
        name,
        fields,
        present.plans.find((one) => one.name === name),
      ),
    ),
    ...wanted.users.flatMap(({ name, password, balance, plan, ...fields }) => {
      const known = present.users.find((one) => one.name === name)
      // A password cannot be compared, and an opening grant is posted once: both count for new users only.
      const first = { ...(password !== undefined && { password }), ...(balance !== undefined && { balance }) }
      return [...row('user', name, known ? fields : { ...fields, ...first }, known), ...heldPlan('user', name, plan, known, present)]
    }),
    ...wanted.teams.flatMap((team) =>
      teamChanges(
        team,
        present.teams.find(({ name }) => name === team.name),
        present,
      ),
    ),
    ...fallbacks(wanted.fallbacks, present.settings),
    ...routing(wanted.routing, present.settings),
  ]
}

function channelChange({ name, keys, ...fields }: NewChannel, known: ChannelRow | undefined): Change[] {
  const secrets = keys === undefined ? {} : { keys }
  if (known === undefined) return row('channel', name, { ...fields, ...secrets }, undefined)
  const before = known as unknown as Record<string, unknown>
  // A channel's vendor cannot change: another vendor is another channel.
  const { vendor, ...own } = fields
  const changed = Object.fromEntries(Object.entries(own).filter(([field, value]) => !same(value, before[field])))
  const hints = keys?.map((key) => ends(typeof key === 'string' ? key : key.key))
  const otherKeys =
    hints !== undefined &&
    !isDeepStrictEqual(
      hints,
      known.keys.map(({ hint }) => hint.split('...')[1]),
    )
  const sendKeys = otherKeys || ('baseUrl' in changed && keys !== undefined)
  const found = patch('channel', known, name, { ...changed, ...(sendKeys && secrets) }, before)
  if (vendor === known.vendor) return found
  return [
    {
      ...emptyChange('channel', name),
      fields: [{ field: 'vendor', before: known.vendor, after: vendor }],
      refused: 'the vendor of a channel cannot change',
    },
  ]
}

/** The end of a secret that a hint shows. */
const ends = (secret: string) => (secret.length > 8 ? secret.slice(-4) : '')

const emptyChange = (kind: Change['kind'], name: string): Change => ({
  ...{ action: 'change', kind, name, fields: [] },
  call: { method: 'PATCH', path: '', body: {} },
})

/** A price is replaced as a whole, as in the API. */
function price(model: string, fields: object, known: PriceRow | undefined): Change[] {
  const { model: _, managed, ...before } = known ?? { model, managed: 'console' as const }
  if (known && isDeepStrictEqual(amounts({ ...fields }), amounts(before))) return []
  const names = [...new Set([...Object.keys(before), ...Object.keys(fields)])]
  const after = fields as Record<string, unknown>
  const all = Object.fromEntries(names.map((name) => [name, after[name]]))
  const changed = Object.fromEntries(Object.entries(all).filter(([name, value]) => !same(value, (before as Record<string, unknown>)[name])))
  return [
    {
      ...{ action: known ? 'change' : 'create', kind: 'price', name: model },
      fields: shown(changed, before as Record<string, unknown>),
      call: { method: 'PUT', path: `/api/prices/${seg(model)}`, body: after },
      ...(known && managed === 'file' && { refused: byFile }),
    },
  ]
}

function fallbacks(wanted: Declaration['fallbacks'], { fallbacks: before, managedByFile }: SettingsRow): Change[] {
  const fields = Object.entries(wanted)
    .filter(([model, fallback]) => !isDeepStrictEqual(fallback, before[model]))
    .map(([model, after]) => ({ field: model, before: before[model] ?? null, after }))
  if (fields.length === 0) return []
  const own = Object.fromEntries(Object.entries(before).filter(([model]) => !managedByFile.fallbacks.includes(model)))
  const refused = fields.some(({ field }) => managedByFile.fallbacks.includes(field)) ? { refused: byFile } : {}
  const call = { method: 'PATCH' as const, path: '/api/settings', body: { fallbacks: { ...own, ...wanted } } }
  return [{ action: 'change', kind: 'fallbacks', name: fields.map(({ field }) => field).join(', '), fields, call, ...refused }]
}

function routing(wanted: Declaration['routing'], { managedByFile, ...before }: SettingsRow): Change[] {
  const present = { balancing: before.balancing ?? 'weight', checkMinutes: before.checkMinutes ?? null }
  const fields = Object.entries(wanted).flatMap(([field, after]) => {
    const now = present[field as keyof typeof present]
    return now === after ? [] : [{ field, before: now, after }]
  })
  if (fields.length === 0) return []
  const refused = fields.some(({ field }) => managedByFile.routing.some((name) => name === field)) ? { refused: byFile } : {}
  const call = { method: 'PATCH' as const, path: '/api/settings', body: { ...wanted } }
  return [{ action: 'change', kind: 'routing', name: 'settings', fields, call, ...refused }]
}

/** The difference as text: a line for each row and one for each of its fields. */
export function differenceText(changes: readonly Change[]): string {
  if (changes.length === 0) return 'Nothing differs.'
  const value = (one: unknown) => (one === null ? 'not set' : typeof one === 'string' ? one : JSON.stringify(one))
  const lines = changes.flatMap(({ action, kind, name, fields, refused }) => [
    `${refused ? '!' : action === 'create' ? '+' : '~'} ${kind} ${name}${refused ? `: ${refused}` : ''}`,
    ...fields.map(
      ({ field, before, after }) => `    ${field}: ${action === 'create' ? value(after) : `${value(before)} -> ${value(after)}`}`,
    ),
  ])
  const count = (of: (change: Change) => boolean) => changes.filter(of).length
  const refused = count((one) => one.refused !== undefined)
  const sums = [
    `${count((one) => one.action === 'create' && one.refused === undefined)} to create`,
    `${count((one) => one.action === 'change' && one.refused === undefined)} to change`,
    ...(refused > 0 ? [`${refused} that cannot be done`] : []),
  ]
  return [...lines, '', `${sums.join(', ')}.`].join('\n')
}
