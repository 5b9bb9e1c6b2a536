/** A channel as an entry of parley.yaml, or as JSON to import. Both omit secrets and default values. */
import type { ChannelRow } from '#shared/console/channel'

const usual: Partial<Record<keyof ChannelRow, unknown>> = {
  ...{ groups: ['default'], priority: 0, weight: 1, enabled: true, strict: false, foreignState: 'deny' },
}
/** In the order of the documentation; keys come after the address. */
const before = ['name', 'vendor', 'baseUrl'] as const
const after = [
  ...(['speaks', 'operations', 'groups', 'models', 'priority', 'weight', 'enabled', 'strict', 'systemPrompt', 'headers'] as const),
  ...(['params', 'timeouts', 'options', 'costs', 'proxy', 'foreignState', 'tags'] as const),
]

/** These fields, without empty and default values. */
const picked = (row: ChannelRow, names: readonly (keyof ChannelRow)[]): [string, unknown][] =>
  names.flatMap((name): [string, unknown][] => (isNotDefault(name, row[name]) ? [[name, row[name]]] : []))

/** Channels as JSON, as the API takes them: without keys, and without other secrets, of which only hints are known here. */
export const channelsJson = (rows: readonly ChannelRow[]): string =>
  JSON.stringify(
    { channels: rows.map((row) => Object.fromEntries(picked(row, [...before, ...after]))) },
    (_, value) => (typeof value === 'string' && value.startsWith('hidden ') ? undefined : value),
    2,
  )

/** The text of the entry, with `channels:` above it. */
export function channelYaml(row: ChannelRow): string {
  const pick = (names: readonly (keyof ChannelRow)[]) => picked(row, names)
  const keys = row.keys.filter(({ enabled }) => enabled).map(({ name, weight }) => keyOf(row, name, weight))
  const entry = Object.fromEntries([...pick(before), ...(keys.length > 0 ? [['keys', keys]] : []), ...pick(after)])
  return `channels:\n${block([entry], '  ')}\n`
}

function keyOf({ name: channel, keys }: ChannelRow, name: string, weight: number): unknown {
  const words = [channel, ...(keys.length > 1 ? [name] : []), 'key'].join('_').toUpperCase()
  const secret = `\${${words.replace(/[^A-Z0-9]+/g, '_')}}`
  return keys.length > 1 || weight !== 1 ? { key: secret, name, ...(weight !== 1 && { weight }) } : secret
}

function isNotDefault(name: keyof ChannelRow, value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false
  if (typeof value === 'object' && block(value, '') === '') return false
  return JSON.stringify(value) !== JSON.stringify(usual[name])
}

/** A list or a map in block style; empty where nothing is in it. */
function block(value: unknown, indent: string): string {
  const lines = Array.isArray(value)
    ? value.map((item) => [`${indent}-`, item] as const)
    : Object.entries(value ?? {}).map(([name, item]) => [`${indent}${scalar(name)}:`, item] as const)
  return lines
    .flatMap(([head, item]) => {
      if (item === undefined) return []
      if (item === null || typeof item !== 'object') return `${head} ${scalar(item)}`
      const inside = block(item, `${indent}  `)
      if (inside === '') return `${head} ${Array.isArray(item) ? '[]' : '{}'}`
      // The first line of a map in a list goes on the line of its dash.
      return head.endsWith('-') ? `${head} ${inside.trimStart()}` : `${head}\n${inside}`
    })
    .join('\n')
}

/** Plain if unambiguous, otherwise in double quotes. */
function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  const isPlain = /^[A-Za-z][\w./+-]*(:[\w./+-]+)*$/.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value)
  return isPlain ? value : JSON.stringify(value)
}
