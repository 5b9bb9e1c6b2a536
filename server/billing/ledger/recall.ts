/** Recalls: asks every instance to give back what it can spare of an account. Rate-limited: NOTIFY slows down every commit. */
import type { Store } from '#store/engine/store'

/** Milliseconds between two recalls of one account. */
const apart = 200
const remembered = 1000

/** The function that recalls an account; `now` in milliseconds of the monotonic clock. */
export function createRecall(store: Store): (account: string, now: number) => void {
  const last = new Map<string, number>()
  return (account, now) => {
    if (now - (last.get(account) ?? Number.NEGATIVE_INFINITY) < apart) return
    if (last.size >= remembered) last.clear()
    last.set(account, now)
    void store.changes.publish('leases', account)
  }
}
