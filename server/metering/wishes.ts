/** What the slices of this instance ask the database for. Amounts are nano-dollars, times milliseconds of the monotonic clock. */
import type { AskedPart } from '#store/leases'
import { appetite, isHungry, type Slice, spareOf } from './slice.ts'
import type { Waiting, WaitingList } from './waiting.ts'

interface Part extends AskedPart {
  slice: Slice
  /** The step that this take would make. */
  ahead: bigint
}

/** What is asked for together: all that the first of those needs who are paid from the same accounts, or more of one account. */
export interface Wish {
  head: Waiting | undefined
  parts: readonly Part[]
}

/** What those who wait need: of each kind, what the first of them is short of, and as much more as the others are. */
export function wishesOfWaiting(list: WaitingList, now: number, coverMs: number): Wish[] {
  const left = new Map<Slice, bigint>()
  const asked = new Set<string>()
  return list.all().flatMap((head) => {
    if (asked.has(head.kind)) return []
    asked.add(head.kind)
    const parts = head.slices.flatMap((slice): Part[] => {
      const { account, budget } = slice
      const have = left.get(slice) ?? spareOf(slice)
      const need = head.waiter.need - have
      if (need <= 0n) return []
      const { want, ahead } = left.has(slice) ? { want: need, ahead: slice.step } : appetite(slice, head.waiter.need, now, coverMs)
      left.set(slice, 0n)
      return [{ slice, account, budget, need, want, ahead }]
    })
    return parts.length === 0 ? [] : [{ head, parts }]
  })
}

/** More for those who will come, of the hungry ones that `but` does not ask for already. */
export function wishesAhead(hungry: Iterable<Slice>, but: readonly Wish[], now: number, coverMs: number): Wish[] {
  const asked = new Set(but.flatMap(({ parts }) => parts.map(({ slice }) => slice)))
  const wishes: Wish[] = []
  for (const slice of hungry) {
    if (asked.has(slice) || !isHungry(slice, now, coverMs)) continue
    const part = { slice, account: slice.account, budget: slice.budget, need: 0n, ...appetite(slice, 0n, now, coverMs) }
    wishes.push({ head: undefined, parts: [part] })
  }
  return wishes
}
