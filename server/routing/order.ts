/**
 * Orders candidates. Pure: the same candidates and random numbers give the same order. Higher priority first; within a priority, those with
 * the client's dialect before those that need a conversion, and among them a weighted draw without replacement, weight 0 only when nothing
 * else is left; then the channels' other keys.
 */
import type { Dialect, Style } from '#shared/ids'
import type { Channel, ChannelKey, ChannelModel } from './channel.ts'

/** One way to serve a request: a channel with a key. Each is tried once, plus one repeat when nothing else is left. */
export interface Candidate {
  channel: Channel
  key: ChannelKey | null
  model: ChannelModel
  /** The dialect used with this upstream; for an operation with a style, the dialect whose base URL and credential it shares. */
  dialect: Dialect
  /** The wire style of an operation other than generation. */
  style?: Style
  /** True when it is the client's own dialect. */
  native: boolean
}

/** A channel's figure for a model: lower is tried first. */
export type Rank = (candidate: Candidate) => number

/** A weighted draw of all items; `fraction` returns numbers in [0, 1). */
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

/** The same in the order of their figures; the draw decides between equal ones, and weight 0 stays last. */
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

/** Candidates of one tier are tried before those of a lower one. */
export const tierOf = ({ channel, native }: Candidate): number => channel.priority * 2 + (native ? 1 : 0)

/** Every candidate in the order in which it should be tried, best first. */
export function order(candidates: readonly Candidate[], fraction: () => number, rank?: Rank): Candidate[] {
  const tiers = Map.groupBy(candidates, tierOf)
  return [...tiers].sort(([a], [b]) => b - a).flatMap(([, tier]) => drawChannels(tier, fraction, rank))
}

/** A candidate's place in the order. */
export interface Share {
  /** 0 for those that are asked first; others are only asked after all earlier ranks have failed. */
  rank: number
  /** The share of this rank's requests that go to this candidate first: 0 to 1. Null: it is not drawn. */
  share: number | null
}

/** Weights normalised to a sum of one; all equal if none has a weight, as in the draw. */
function parts<Item>(items: readonly Item[], weightOf: (item: Item) => number): Map<Item, number> {
  const total = items.reduce((sum, item) => sum + weightOf(item), 0)
  return new Map(items.map((item) => [item, total > 0 ? weightOf(item) / total : 1 / items.length]))
}

/** The place of each of these candidates, none of which is resting. `isDrawn`: channels of one rank are drawn by weight. */
export function sharesOf(candidates: readonly Candidate[], isDrawn: boolean): Map<Candidate, Share> {
  const tiers = [...Map.groupBy(candidates, tierOf)].sort(([a], [b]) => b - a)
  const found = new Map<Candidate, Share>()
  for (const [rank, [, tier]] of tiers.entries()) {
    const channels = [...Map.groupBy(tier, ({ channel }) => channel.id).values()]
    const ofChannel = parts(channels, ([first]) => first?.channel.weight ?? 0)
    for (const keys of channels) {
      const ofKey = parts(keys, ({ key }) => key?.weight ?? 1)
      const whole = channels.length === 1 ? 1 : isDrawn ? (ofChannel.get(keys) ?? 0) : null
      for (const one of keys) found.set(one, { rank, share: whole === null ? null : whole * (ofKey.get(one) ?? 0) })
    }
  }
  return found
}
