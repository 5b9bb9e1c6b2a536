/** The form of a channel's settings, and what is sent for it. */
import type { ChannelPatch, ChannelRow } from '#shared/console/channel'
import type { Dialect, Operation } from '#shared/ids'
import { type Pair, rowsOf, valuesOf } from './pairs.ts'

/** The fields of the form. */
export interface ChannelSettings {
  name: string
  baseUrl: string
  keys: string
  /** Whether new keys replace the current ones. Ignored without new keys. */
  replaceKeys: boolean
  options: Pair[]
  groups: string[]
  tags: string
  priority: string
  weight: string
  /** JSON. */
  costs: string
  /** Values are JSON, or plain text. */
  set: Pair[]
  /** Names, separated by commas. */
  remove: string
  systemPrompt: string
  strict: boolean
  headers: Pair[]
  connect: string
  firstEvent: string
  betweenEvents: string
  total: string
  proxy: string
  ca: string
  cert: string
  key: string
  speaks: Dialect[]
  operations: Operation[]
  foreignState: boolean
}

/** A field of the form. */
export type SettingName = keyof ChannelSettings

const phases = ['connect', 'firstEvent', 'betweenEvents', 'total'] as const
const pems = ['ca', 'cert', 'key'] as const

/** The API parameter of each field, as errors name it. */
export const paramOf = (name: SettingName): string => {
  if (name === 'set' || name === 'remove') return `params.${name}`
  if (phases.some((phase) => phase === name)) return `timeouts.${name}`
  return pems.some((pem) => pem === name) ? `tls.${name}` : name
}

const json = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2))

/** The form for a channel. */
export function settingsOf(row: ChannelRow): ChannelSettings {
  const seconds = (phase: (typeof phases)[number]) => String(row.timeouts[phase] ?? '')
  const { set = {}, remove = [] } = row.params
  return {
    name: row.name,
    baseUrl: row.baseUrl ?? '',
    keys: '',
    replaceKeys: false,
    options: rowsOf(row.options),
    groups: [...row.groups],
    tags: row.tags.join(', '),
    priority: String(row.priority),
    weight: String(row.weight),
    costs: json(row.costs),
    set: Object.entries(set).map(([name, value]) => ({ name, value: textOf(value) })),
    remove: remove.join(', '),
    systemPrompt: row.systemPrompt ?? '',
    strict: row.strict,
    headers: rowsOf(row.headers),
    ...{ connect: seconds('connect'), firstEvent: seconds('firstEvent'), betweenEvents: seconds('betweenEvents'), total: seconds('total') },
    proxy: row.proxy,
    ...{ ca: row.tls.ca ?? '', cert: row.tls.cert ?? '', key: row.tls.key ?? '' },
    speaks: [...row.speaks],
    operations: [...row.operations],
    foreignState: row.foreignState === 'allow',
  }
}

/** Text is shown as it is unless it would be parsed as something else. */
const textOf = (value: unknown) => (typeof value === 'string' && jsonOf(value) === value ? value : JSON.stringify(value))

/** Parses JSON, else returns the text. Throws SyntaxError for text that starts like an object, array or string and is malformed. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    if (/^\s*[[{"]/.test(text)) throw thrown
    return text
  }
}

/** The result of `read`. Throws SyntaxError with the field's name as the message. */
function named<Value>(name: SettingName, read: () => Value): Value {
  try {
    return read()
  } catch {
    throw new SyntaxError(name)
  }
}

const listOf = (text: string): string[] =>
  text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter(Boolean)

/** Those of these fields for which `read` gives a value. */
const valuesFor = <Name extends string, Value>(fields: readonly Name[], read: (name: Name) => Value | undefined) =>
  Object.fromEntries(fields.flatMap((name) => (read(name) === undefined ? [] : [[name, read(name)]])))

/** The patch for a form. Throws SyntaxError with the name of the field whose text is not JSON. */
export function patchOf(form: ChannelSettings): ChannelPatch {
  const keys = form.keys
    .split('\n')
    .map((key) => key.trim())
    .filter(Boolean)
  const set = named('set', () => Object.fromEntries(Object.entries(valuesOf(form.set)).map(([name, text]) => [name, jsonOf(text)])))
  const remove = listOf(form.remove)
  return {
    name: form.name.trim(),
    ...(form.baseUrl.trim() !== '' && { baseUrl: form.baseUrl.trim() }),
    ...(keys.length > 0 && (form.replaceKeys ? { keys } : { addKeys: keys })),
    options: valuesOf(form.options),
    groups: form.groups,
    tags: listOf(form.tags),
    priority: Number(form.priority),
    weight: Number(form.weight),
    costs: form.costs.trim() === '' ? {} : named('costs', () => JSON.parse(form.costs)),
    params: { ...(Object.keys(set).length > 0 && { set }), ...(remove.length > 0 && { remove }) },
    systemPrompt: form.systemPrompt,
    strict: form.strict,
    headers: valuesOf(form.headers),
    timeouts: valuesFor(phases, (phase) => (form[phase].trim() === '' ? undefined : Number(form[phase]))),
    proxy: form.proxy.trim(),
    tls: valuesFor(pems, (pem) => (form[pem].trim() === '' ? undefined : form[pem])),
    speaks: form.speaks,
    operations: form.operations,
    foreignState: form.foreignState ? 'allow' : 'deny',
  }
}

/** The fields in which two forms differ. */
export const changedFields = (before: ChannelSettings, after: ChannelSettings): Exclude<SettingName, 'replaceKeys'>[] =>
  (Object.keys(before) as SettingName[])
    .filter((name) => name !== 'replaceKeys')
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))

/** The patch for these changed fields only. */
export function patchFor(form: ChannelSettings, changed: readonly SettingName[]): ChannelPatch {
  const touched = new Set(changed.map((name) => paramOf(name).split('.')[0]))
  if (touched.has('keys')) touched.add('addKeys')
  return Object.fromEntries(Object.entries(patchOf(form)).filter(([name]) => touched.has(name)))
}
