/**
 * An in-memory model of the database function `rates_sync`: a reference to compare it with, and a substitute for it in simulations. Planted
 * faults show that the checks work.
 */
import type { RateAnswer, RateAsk, RateCall } from '#store/ledger/rates'

/** Faults of the model. */
export interface PlantedFaults {
  /** The number of sub-windows that count; 14 is correct. */
  slots?: number
  /** Abandoned calls may take effect late. */
  unfenced?: boolean
}

/** The calls that instances make. */
export interface RateModel {
  /** `at`: milliseconds since the epoch. Throws an Error with code PF001 for a call that arrives too late. */
  sync(call: RateCall, at: number): Map<string, RateAnswer>
  forget(holder: string): void
}

interface Row {
  slot: number
  ring: number[]
  recalled: number
  places: Map<string, number>
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((a, b) => a + b, 0)

/** Creates an empty table of limits, with planted faults if given. */
export function createRateModel({ slots = 14, unfenced = false }: PlantedFaults = {}): RateModel {
  const rows = new Map<string, Row>()
  const holders = new Map<string, { seq: number; seen: number }>()

  function rowOf(id: string, slot: number): Row {
    const row = rows.get(id) ?? { slot, ring: Array(slots).fill(0), recalled: Number.NEGATIVE_INFINITY, places: new Map() }
    rows.set(id, row)
    return row
  }

  function turn(row: Row, slot: number): void {
    const moved = slot - row.slot
    if (moved > 0) row.ring = [...Array(Math.min(moved, slots)).fill(0), ...row.ring].slice(0, slots)
    else if (moved < -1) row.ring = [sum(row.ring), ...Array(slots - 1).fill(0)]
    if (moved > 0 || moved < -1) row.slot = slot
  }

  function used(row: Row, ask: RateAsk, { holder, writeOffMs, trusting }: RateCall, at: number): number {
    if (ask.keep !== undefined) {
      const others = [...row.places].filter(([id]) => {
        const seen = holders.get(id)?.seen
        return id !== holder && seen !== undefined && (seen > at - writeOffMs || !trusting)
      })
      return ask.keep + sum(others.map(([, amount]) => amount))
    }
    for (const [slot, amount] of Object.entries(ask.back)) {
      const index = row.slot - Number(slot)
      const there = row.ring[index]
      if (there !== undefined) row.ring[index] = Math.max(0, there - amount)
    }
    row.ring[0] = (row.ring[0] ?? 0) + ask.burn
    return sum(row.ring)
  }

  function answer(ask: RateAsk, call: RateCall, at: number, alone: boolean): RateAnswer {
    const row = rowOf(ask.id, Math.floor(at / 5000))
    turn(row, Math.floor(at / 5000))
    const rest = Math.max(0, ask.cap - used(row, ask, call, at))
    const short = rest < ask.need
    const base = short ? 0 : Math.min(rest, Math.max(ask.need, ask.claim))
    const got = base + (short ? 0 : Math.min(ask.ahead, Math.floor((rest - base) / 4)))
    const tell = short && !alone && at - row.recalled >= 2000
    if (tell) row.recalled = at
    const since = at - row.recalled
    if (ask.keep === undefined) row.ring[0] = (row.ring[0] ?? 0) + got
    else row.places.set(call.holder, ask.keep + got)
    const waitMs = short && !alone ? Math.max(0, 250 - since) : 0
    return {
      id: ask.id,
      got,
      short,
      tell,
      waitMs,
      scarceMs: alone ? 0 : Math.max(0, 2000 - since),
      at,
      slot: row.slot,
      ring: [...row.ring],
    }
  }

  return {
    sync(call, at) {
      const known = holders.get(call.holder)
      if (!unfenced && known && known.seq >= call.seq) throw Object.assign(new Error('fenced'), { code: 'PF001' })
      holders.set(call.holder, { seq: call.seq, seen: Math.max(known?.seen ?? 0, at) })
      const since = at - Math.max(call.writeOffMs, 10_000)
      const alone = ![...holders].some(([id, { seen }]) => id !== call.holder && seen > since)
      return new Map(call.asks.map((ask) => [ask.id, answer(ask, call, at, alone)]))
    },
    forget(holder) {
      holders.delete(holder)
      for (const { places } of rows.values()) places.delete(holder)
    },
  }
}
