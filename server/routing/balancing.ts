/**
 * Orders the channels of one rank by something else than a draw by weight: in turn, by the fewest open requests, by the lowest time to
 * first content, or by the lowest cost. It only orders: priority and dialect come before, health and affinity after it, weight 0 stays
 * last, and equal figures are drawn by weight. Only requests of this instance are counted.
 */
import type { Clock } from '#runtime/clock'
import type { BalancingMode } from '#shared/console/settings'
import type { Candidate, Rank } from './order.ts'

/** Counts attempts, and ranks by them. */
export interface Balancing {
  /** If it is `weight`, no other method needs to be called. */
  mode(): BalancingMode
  /** Whether any attempt is open. */
  counting: boolean
  /** Undefined if channels are drawn by weight. */
  rank(): Rank | undefined
  /** The figure by which a candidate was ranked, as text; null if unknown. */
  figure(candidate: Candidate): string | null
  /** An attempt begins. */
  begun(candidate: Candidate): void
  /** Its first content has arrived. */
  answered(candidate: Candidate): void
  /** The attempt failed, or the request that it served has ended. May be called again. */
  ended(candidate: Candidate): void
}

/** Milliseconds after which a measurement is out of date, so that the channel is tried again. */
const freshMs = 300_000
const share = 0.2

const id = ({ channel, model }: Candidate) => `${channel.id}\n${model.name}`

/** USD for a million input and a million output tokens, as the channel declares; infinite if it does not. */
function costOf({ channel, model }: Candidate): number {
  const { input, output } = channel.costs[model.name] ?? {}
  return input === undefined ? Number.POSITIVE_INFINITY : Number(input) + Number(output ?? input)
}

/** `mode` is called for each request. */
export function createBalancing(clock: Pick<Clock, 'monotonic'>, mode: () => BalancingMode): Balancing {
  /** Start of each open attempt. */
  const running = new Map<Candidate, number>()
  const open = new Map<string, number>()
  const turns = new Map<string, number>()
  const times = new Map<string, { ms: number; at: number }>()
  let turn = 0

  const openOf = ({ channel }: Candidate) => open.get(channel.id) ?? 0
  const timeOf = (candidate: Candidate) => {
    const known = times.get(id(candidate))
    return known && clock.monotonic() - known.at < freshMs ? known.ms : undefined
  }

  const ranks: Record<Exclude<BalancingMode, 'weight'>, Rank> = {
    round_robin: (candidate) => turns.get(id(candidate)) ?? 0,
    least_open: openOf,
    // A channel without a measurement is tried.
    first_token: (candidate) => timeOf(candidate) ?? 0,
    cheapest: costOf,
  }

  const balancing: Balancing = {
    mode,
    counting: false,
    rank() {
      const now = mode()
      return now === 'weight' ? undefined : ranks[now]
    },
    figure(candidate) {
      switch (mode()) {
        case 'weight':
          return `weight ${candidate.channel.weight}`
        case 'round_robin':
          return turns.has(id(candidate)) ? `last asked ${turn - (turns.get(id(candidate)) ?? 0)} attempts ago` : 'not asked yet'
        case 'least_open':
          return `${openOf(candidate)} open`
        case 'first_token': {
          const ms = timeOf(candidate)
          return ms === undefined ? 'not known yet' : `${Math.round(ms)} ms`
        }
        case 'cheapest': {
          const cost = costOf(candidate)
          return Number.isFinite(cost) ? `${cost} USD for a million tokens each way` : 'declares no costs'
        }
      }
    },
    begun(candidate) {
      if (running.has(candidate)) return
      running.set(candidate, clock.monotonic())
      balancing.counting = true
      open.set(candidate.channel.id, openOf(candidate) + 1)
      turns.set(id(candidate), ++turn)
    },
    answered(candidate) {
      const since = running.get(candidate)
      if (since === undefined) return
      const now = clock.monotonic()
      const before = timeOf(candidate)
      times.set(id(candidate), { ms: before === undefined ? now - since : before + share * (now - since - before), at: now })
    },
    ended(candidate) {
      if (!running.delete(candidate)) return
      balancing.counting = running.size > 0
      const left = openOf(candidate) - 1
      if (left > 0) open.set(candidate.channel.id, left)
      else open.delete(candidate.channel.id)
    },
  }
  return balancing
}
