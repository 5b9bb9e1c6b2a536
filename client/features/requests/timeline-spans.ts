import type { LogRow } from '#shared/console/log'
import { t } from './messages.ts'

/** A phase of a request: where it begins and how long it takes, in milliseconds. */
export interface Span {
  label: string
  from: number
  ms: number
  kind: 'failed' | 'wait' | 'stream'
}

/** The phases of a request, in milliseconds from its start. */
export function spansOf(row: LogRow): Span[] {
  const attempts = row.attempts ?? []
  const failed = attempts.slice(0, -1)
  let at = 0
  const spans = failed.map(({ ms }, index): Span => {
    const from = at
    at += ms
    return { label: t('attempt', { count: index + 1 }), from, ms, kind: 'failed' }
  })
  if (row.firstTokenMs === null || !row.stream) {
    const label = row.firstTokenMs === null ? t('total') : t('untilWhole')
    return [...spans, { label, from: at, ms: Math.max(0, row.totalMs - at), kind: 'wait' }]
  }
  const first = Math.max(row.firstTokenMs, at)
  return [
    ...spans,
    { label: t('untilFirst'), from: at, ms: first - at, kind: 'wait' },
    { label: t('streaming'), from: first, ms: Math.max(0, row.totalMs - first), kind: 'stream' },
  ]
}
