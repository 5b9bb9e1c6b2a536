/**
 * Those whom this instance's slices cannot pay yet, in the order of their coming. One may pass those before it as long as it takes
 * nothing of what they are short of; of what there is enough for all, nobody keeps anything from anybody.
 */
import type { Account } from './account.ts'
import { type Slice, spareOf } from './slice.ts'

export interface Waiter {
  readonly accounts: readonly Account[]
  /** What each of the accounts must pay. */
  readonly need: bigint
  readonly since: number
  /** How long others may take to give something back. */
  readonly until: number
  served(): void
  /** The account cannot pay, or, without one, the database does not say. */
  refused(account: Account | undefined): void
}

export interface Waiting {
  readonly waiter: Waiter
  readonly slices: readonly Slice[]
  /** Alike for all who are paid from the same accounts. */
  readonly kind: string
}

export interface WaitingList {
  size(): number
  all(): readonly Waiting[]
  has(one: Waiting): boolean
  add(waiter: Waiter, slices: readonly Slice[]): void
  /** Serves everybody who can be served now. */
  serve(): void
  /** Ends the waiting of those of whom it is true. */
  refuse(account: string | undefined, which: (one: Waiting) => boolean): void
}

const isShort = (slice: Slice, need: bigint) => need > 0n && need > spareOf(slice) - slice.claimed

/** `hold` takes the amount from the slice of somebody who is served. */
export function createWaitingList(hold: (slice: Slice, amount: bigint) => void): WaitingList {
  let list: Waiting[] = []

  /** What those of the list are short of, in order; answers who is short of nothing, and has taken it. */
  function sift(): Waiting[] {
    for (const { slices } of list) for (const slice of slices) slice.claimed = 0n
    const served: Waiting[] = []
    const still: Waiting[] = []
    for (const each of list) {
      const { need } = each.waiter
      const short = each.slices.filter((slice) => isShort(slice, need))
      for (const slice of short) slice.claimed += need
      if (short.length > 0) still.push(each)
      else {
        for (const slice of each.slices) hold(slice, need)
        served.push(each)
      }
    }
    list = still
    return served
  }

  function leave({ slices }: Waiting): void {
    for (const slice of slices) slice.waiting -= 1
  }

  return {
    size: () => list.length,
    all: () => list,
    has: (one) => list.includes(one),
    add(waiter, slices) {
      for (const slice of slices) {
        slice.waiting += 1
        if (isShort(slice, waiter.need)) slice.claimed += waiter.need
      }
      list.push({ waiter, slices, kind: slices.map(({ account }) => account).join('\n') })
    },
    serve() {
      if (list.length === 0) return
      for (const each of sift()) {
        leave(each)
        each.waiter.served()
      }
    },
    refuse(account, which) {
      const gone = new Set(list.filter(which))
      if (gone.size === 0) return
      list = list.filter((each) => !gone.has(each))
      for (const each of gone) {
        leave(each)
        // Whoever leaves last takes its claim along; the others' are found anew.
        for (const slice of each.slices) slice.claimed = 0n
      }
      const served = sift()
      for (const { waiter } of gone) waiter.refused(waiter.accounts.find(({ id }) => id === account))
      for (const each of served) {
        leave(each)
        each.waiter.served()
      }
    },
  }
}
