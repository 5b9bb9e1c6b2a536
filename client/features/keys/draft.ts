/** The form of a key, its presets, and what is sent for it. */
import { keepChoice, keepOf } from '#client/console/keep-choice.ts'
import { type Bounds, boundsOf, readBounds } from '#client/console/limits.ts'
import { isoDay, midnightOf } from '#client/ui/time-zone.ts'
import type { KeyPatch, KeyRow } from '#shared/console/key'

/** The fields of the form. */
export interface KeyDraft {
  name: string
  note: string
  group: string
  models: string[]
  /** Empty for never; a number of days; or an instant. */
  expiry: string
  addresses: string
  strict: boolean
  /** Which of its requests are kept, as a value of `KeepField`. */
  keep: string
  bounds: Bounds
}

/** Presets by purpose. */
export const presets = ['app', 'ci', 'person', 'agent'] as const
/** A preset. */
export type Preset = (typeof presets)[number]

const starts: Record<Preset, { expiry: string; bounds: Partial<Bounds> }> = {
  app: { expiry: '', bounds: { monthly: '100', rpm: '600' } },
  ci: { expiry: '90', bounds: { daily: '5', rpm: '60' } },
  person: { expiry: '', bounds: { monthly: '20', concurrency: '5' } },
  agent: { expiry: '', bounds: { daily: '10', rpm: '120', concurrency: '10' } },
}

/** The draft of a preset; keeps what was typed before. */
export function draftFor(preset: Preset, before?: KeyDraft): KeyDraft {
  const { expiry, bounds } = starts[preset]
  const kept = before ?? { name: '', note: '', group: '', models: [], addresses: '', strict: false, keep: 'off' }
  return { ...kept, expiry, bounds: { ...boundsOf(undefined), ...bounds } }
}

/** The draft of a key that exists. */
export const draftOf = (row: KeyRow): KeyDraft => ({
  name: row.name,
  note: row.note ?? '',
  group: row.group ?? '',
  models: row.models ?? [],
  expiry: row.expiresAt ?? '',
  addresses: (row.addresses ?? []).join('\n'),
  strict: row.strict,
  keep: keepChoice(row.logBodies),
  bounds: boundsOf(row),
})

const dayMs = 86_400_000

/** The expiry options of the form, in days. */
export const expiryDays = ['7', '30', '90', '365'] as const

/** The selected expiry option: never (empty), a number of days, or a date. */
export const expiryKind = (expiry: string): string => (expiry === '' || expiryDays.some((days) => days === expiry) ? expiry : 'date')

/** The last local day on which a key with this expiry can be used, YYYY-MM-DD. */
export const lastDayOf = (expiry: string): string => isoDay(new Date(Date.parse(expiry) - 1))

/** The end of a local day, YYYY-MM-DD, as an expiry. */
export function endOfDay(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return midnightOf(year, month - 1, date + 1).toISOString()
}

/** The patch for a draft; `now` in milliseconds since the epoch. */
export function fieldsOf(draft: KeyDraft, now: number): KeyPatch & { name: string } {
  const lines = draft.addresses.split(/[\s,]+/).filter((line) => line !== '')
  const days = /^\d{1,4}$/.test(draft.expiry) ? Number(draft.expiry) : undefined
  return {
    name: draft.name.trim(),
    note: draft.note.trim() === '' ? null : draft.note.trim(),
    group: draft.group === '' ? null : draft.group,
    models: draft.models.length === 0 ? null : draft.models,
    expiresAt: draft.expiry === '' ? null : days === undefined ? draft.expiry : new Date(now + days * dayMs).toISOString(),
    addresses: lines.length === 0 ? null : lines,
    strict: draft.strict,
    logBodies: keepOf(draft.keep),
    ...readBounds(draft.bounds),
  }
}

/** The fields in which two drafts differ, as the API names them. */
export function changesBetween(before: KeyDraft, after: KeyDraft): (keyof KeyPatch)[] {
  const [old, now] = [before, after].map((draft) => fieldsOf(draft, 0))
  const names = ['name', 'note', 'group', 'models', 'expiresAt', 'addresses', 'strict', 'logBodies', 'budget', 'limits'] as const
  return names.filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(now?.[name]))
}
