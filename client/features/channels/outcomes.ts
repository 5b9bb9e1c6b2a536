/** Outcomes by key and model of a channel, as rows of a table. */
import type { ChannelRow, HealthRow, OutcomeRow } from '#shared/console/channel'
import { type Slice, sliceOf, sumOf } from './beside/slice.ts'

/** A key with a model. */
export interface OutcomeLine extends Slice {
  id: string
  key: string | null
  model: string
  slices: readonly Slice[]
  /** Its rest; undefined if it does not rest. */
  rest: HealthRow | undefined
  /** The key is switched off. */
  off: boolean
}

/** Keys and models used within the last hour; resting ones first, then those that fail most. */
export function outcomeLines(channel: ChannelRow, outcomes: readonly OutcomeRow[], rests: readonly HealthRow[]): OutcomeLine[] {
  const off = new Set(channel.keys.filter((key) => !key.enabled).map((key) => key.name))
  const lines = outcomes.map(({ key, model, slices }) => {
    const own = slices.map(sliceOf)
    const rest = rests.find((one) => one.key === key && (one.model === null || one.model === model))
    return { id: `${key} ${model}`, key, model, slices: own, ...sumOf(own), rest, off: key !== null && off.has(key) }
  })
  const share = (line: OutcomeLine) => (line.requests === 0 ? 0 : line.failed / line.requests)
  return lines.sort(
    (a, b) =>
      Number(b.rest !== undefined) - Number(a.rest !== undefined) ||
      share(b) - share(a) ||
      a.model.localeCompare(b.model) ||
      (a.key ?? '').localeCompare(b.key ?? ''),
  )
}
