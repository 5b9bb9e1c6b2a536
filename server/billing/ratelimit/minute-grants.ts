/** This instance's share of a limit per minute: grants that end with the sub-window after theirs, and the state of the whole minute. */

import { isWithin, type Moment } from '#billing/lease/database-availability'
import type { Allowance } from '#canonical/allowance'
import { createMinuteWindow } from './minute-window.ts'
import type { Grants } from './place-grants.ts'

interface Grant {
  /** The sub-window in which the database counts it. */
  slot: number
  left: number
  from: Moment
  /** Milliseconds from then, in which it may be used. */
  life: number
}

interface Drawn {
  slot: number
  amount: number
}

/** Grants of one limit per minute. */
export interface MinuteGrants extends Grants {
  /** What all instances leave of the limit, as far as is known here. */
  allowance(limit: number, now: Moment): Allowance
  /** Milliseconds until that much of the limit is available, if nothing is given back. */
  msUntil(amount: number, limit: number, now: Moment): number
}

/** Milliseconds, as the database counts. */
const slotMs = 5_000
/** A minute, the sub-window that is only partly in it, and the one before, whose grants may be used until its end. */
const slots = 14
const longestLife = 2 * slotMs
/** A grant that ends sooner cannot be counted on. */
const soonMs = 2_000

/** None yet. */
export function createMinuteGrants(): MinuteGrants {
  let grants: Grant[] = []
  const back = new Map<number, number>()
  let burnt = 0
  const minute = createMinuteWindow(slots)
  let known = { at: 0, tick: 0 }

  const lives = ({ from, life }: Grant, now: Moment, ms = 0) => isWithin(life - ms, from, now)
  const sumOf = (some: readonly Grant[]) => some.reduce((sum, { left }) => sum + left, 0)
  const spare = (now: Moment) => sumOf(grants.filter((grant) => lives(grant, now)))
  const databaseTime = ({ tick }: Moment) => known.at + tick - known.tick

  function setAside(slot: number, amount: number): void {
    if (amount > 0) back.set(slot, (back.get(slot) ?? 0) + amount)
  }
  function dropEnded(now: Moment): void {
    for (const grant of grants) if (!lives(grant, now)) setAside(grant.slot, grant.left)
    grants = grants.filter((grant) => lives(grant, now))
  }
  /** Takes up to the amount from usable grants, oldest first. */
  function draw(amount: number, now: Moment): Drawn[] {
    const drawn: Drawn[] = []
    let open = amount
    for (const grant of grants) {
      const part = lives(grant, now) ? Math.min(open, grant.left) : 0
      if (part === 0) continue
      grant.left -= part
      open -= part
      drawn.push({ slot: grant.slot, amount: part })
    }
    return drawn
  }
  function undraw(drawn: readonly Drawn[], amount: number): void {
    let open = amount
    for (const { slot, amount: had } of drawn.toReversed()) {
      const part = Math.min(open, had)
      open -= part
      const grant = grants.find((each) => each.slot === slot)
      if (grant) grant.left += part
      else setAside(slot, part)
    }
  }
  /** Records what was used without being taken: the spare part here already counts, the rest is reported. */
  function burn(amount: number, now: Moment): void {
    burnt += draw(amount, now).reduce((open, part) => open - part.amount, amount)
  }

  return {
    spare,
    lasting: (now) => sumOf(grants.filter((grant) => lives(grant, now, soonMs))),
    spend(amount, now) {
      const drawn = draw(amount, now)
      return (used, later) => {
        if (used > amount) burn(used - amount, later)
        else undraw(drawn, amount - used)
      }
    },
    shed(amount, now) {
      for (const { slot, amount: part } of draw(amount, now)) setAside(slot, part)
    },
    hasNews(now) {
      dropEnded(now)
      return back.size > 0 || burnt > 0
    },
    parcel(now) {
      dropEnded(now)
      const parcel = { burn: burnt, back: Object.fromEntries(back) }
      burnt = 0
      back.clear()
      return parcel
    },
    receive({ got, slot, at, ring }, sent) {
      minute.load(slot, ring)
      known = { at, tick: sent.tick }
      if (got === 0) return
      const same = grants.find((grant) => grant.slot === slot)
      if (same) same.left += got
      else grants.push({ slot, left: got, from: sent, life: Math.min(longestLife, (slot + 2) * slotMs - at) })
    },
    lost(parcel) {
      // What was given back may not have arrived, but is not given twice. What was burnt counts twice at worst.
      burnt += parcel.burn
    },
    isQuiet: () => grants.length === 0 && back.size === 0 && burnt === 0,
    allowance(limit, now) {
      const unused = spare(now) + [...back.values()].reduce((sum, amount) => sum + amount, 0) - burnt
      const remaining = limit - minute.sum(databaseTime(now)) + unused
      return { limit, remaining: Math.min(limit, Math.max(0, remaining)), resetMs: minute.msUntil(databaseTime(now), 0) }
    },
    msUntil: (amount, limit, now) => minute.msUntil(databaseTime(now), Math.max(0, limit - amount)),
  }
}
