/** The settings of a channel as a form holds them, and what is sent. */
import type { ChannelPatch, ChannelRow } from '#shared/console/channel'
import { linesFor, pairsOf } from './pairs.ts'

/** The fields of the form. */
export interface ChannelSettings {
  name: string
  baseUrl: string
  keys: string
  groups: string[]
  tags: string
  priority: string
  weight: string
  strict: boolean
  systemPrompt: string
  headers: string
  options: string
  params: string
  timeouts: string
  proxy: string
  tls: string
  costs: string
}

const json = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2))

/** The form for a channel. */
export const settingsOf = (row: ChannelRow): ChannelSettings => ({
  name: row.name,
  baseUrl: row.baseUrl ?? '',
  keys: '',
  groups: [...row.groups],
  tags: row.tags.join(', '),
  priority: String(row.priority),
  weight: String(row.weight),
  strict: row.strict,
  systemPrompt: row.systemPrompt ?? '',
  headers: linesFor(row.headers, ': '),
  options: linesFor(row.options, '='),
  params: json(row.params),
  timeouts: json(row.timeouts),
  proxy: row.proxy,
  tls: json(row.tls),
  costs: json(row.costs),
})

/** What is sent for a form. Throws SyntaxError with the name of the field whose text is not JSON. */
export function patchOf(form: ChannelSettings): ChannelPatch {
  const parsed = (name: 'params' | 'timeouts' | 'costs' | 'tls') => {
    if (form[name].trim() === '') return {}
    try {
      return JSON.parse(form[name])
    } catch {
      throw new SyntaxError(name)
    }
  }
  const keys = form.keys
    .split('\n')
    .map((key) => key.trim())
    .filter(Boolean)
  return {
    name: form.name.trim(),
    ...(form.baseUrl.trim() !== '' && { baseUrl: form.baseUrl.trim() }),
    ...(keys.length > 0 && { keys }),
    groups: form.groups,
    tags: form.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    priority: Number(form.priority),
    weight: Number(form.weight),
    strict: form.strict,
    systemPrompt: form.systemPrompt,
    headers: pairsOf(form.headers, ':'),
    options: pairsOf(form.options, '='),
    params: parsed('params'),
    timeouts: parsed('timeouts'),
    proxy: form.proxy.trim(),
    tls: parsed('tls'),
    costs: parsed('costs'),
  }
}

/** The fields in which two forms differ. */
export const changedFields = (before: ChannelSettings, after: ChannelSettings): (keyof ChannelSettings)[] =>
  (Object.keys(before) as (keyof ChannelSettings)[]).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
