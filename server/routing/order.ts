/**
 * Orders candidates. Pure: the same candidates and random numbers give the same order. Higher priority first; within a priority,
 * those that speak the client's dialect before those that need a conversion, and among them a weighted draw without replacement,
 * weight 0 only when nothing else is left; then the channels' other keys.
 */
import type { Dialect, Style } from '#shared/ids'
import type { Channel, ChannelKey, ChannelModel } from './channel.ts'

/** One way to serve a request: a channel with a key. Each is tried once, plus one repeat when nothing else is left. */
export interface Candidate {
  channel: Channel
  key: ChannelKey | null
  model: ChannelModel
  /** The dialect used with this upstream; for an operation with a style, the dialect whose address and credential it shares. */
  dialect: Dialect
  /** The wire style of an operation other than generation. */
  style?: Style
  /** True when it is the client's own dialect. */
  native: boolean
}

/** A channel's figure for a model: lower is tried first. */
export type Rank = (candidate: Candidate) => number

/** A weighted draw of all items; `fraction` gives numbers in [0, 1). */
function draw<Item extends { weight: number }>(items: readonly Item[], fraction: () => number): Item[] {
  const left = [...items]
  const drawn: Item[] = []
  while (left.length > 0) {
    const total = left.reduce((sum, item) => sum + item.weight, 0)
    let mark = fraction() * (total > 0 ? total : left.length)
    const index = left.findIndex((item) => {
      mark -= total > 0 ? item.weight : 1
      return mark < 0
    })
    drawn.push(...left.splice(Math.max(index, 0), 1))
  }
  return drawn
}

/** The same in the order of their figures; what was drawn decides between equal ones, and weight 0 stays last. */
function ranked(drawn: { weight: number; keys: Candidate[] }[], rank: Rank | undefined) {
  if (!rank) return drawn
  const figures = new Map(drawn.map((one) => [one, one.keys[0] ? rank(one.keys[0]) : 0]))
  const figure = (one: (typeof drawn)[number]) => figures.get(one) ?? 0
  return drawn.toSorted((a, b) => Number(a.weight === 0) - Number(b.weight === 0) || (figure(a) === figure(b) ? 0 : figure(a) - figure(b)))
}

/** Channels drawn by weight, or by `rank`: first each channel with one key, then each with its next. */
function drawChannels(candidates: readonly Candidate[], fraction: () => number, rank?: Rank): Candidate[] {
  const channels = Map.groupBy(candidates, (candidate) => candidate.channel.id)
  const weighted = [...channels.values()].map((keys) => ({ weight: keys[0]?.channel.weight ?? 0, keys }))
  const drawn = ranked(draw(weighted, fraction), rank).map(({ keys }) =>
    draw(
      keys.map((candidate) => ({ weight: candidate.key?.weight ?? 1, candidate })),
      fraction,
    ),
  )
  const longest = Math.max(0, ...drawn.map((keys) => keys.length))
  return Array.from({ length: longest }, (_, turn) => drawn.flatMap((keys) => keys[turn]?.candidate ?? [])).flat()
}

/** Every candidate in the order in which it should be tried, best first. */
export function order(candidates: readonly Candidate[], fraction: () => number, rank?: Rank): Candidate[] {
  const tiers = Map.groupBy(candidates, ({ channel, native }) => channel.priority * 2 + (native ? 1 : 0))
  return [...tiers].sort(([a], [b]) => b - a).flatMap(([, tier]) => drawChannels(tier, fraction, rank))
}
