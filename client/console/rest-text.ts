/** Texts for why a channel, a key or a model rests, and when it is retried. */
import type { HealthRow } from '#shared/console/channel'
import { ts } from './messages.ts'

/** The text for an error code; an unknown code as it is. */
export function causeText(cause: string): string {
  switch (cause) {
    case 'upstream_auth_failed':
    case 'upstream_error':
    case 'upstream_timeout':
    case 'upstream_rate_limited':
    case 'upstream_rejected':
    case 'model_not_found':
      return ts(`cause_${cause}`)
    default:
      return cause
  }
}

/** A duration in words: seconds below two minutes. */
export const waitText = (ms: number): string => (ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`)

/** A sentence with the time of the next retry, in `ms` milliseconds. */
export const retryText = (ms: number): string => (ms <= 0 ? ts('retryNow') : ts('retryIn', { time: waitText(ms) }))

/** What rests: a model via a key, a key, or everything. */
export function restedText({ key, model }: Pick<HealthRow, 'key' | 'model'>): string {
  if (model !== null) return key === null ? model : ts('restModel', { model, key })
  return key === null ? ts('restAll') : ts('restKey', { key })
}
