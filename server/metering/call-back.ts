/** Asks every instance for what it can spare of an account, and seldom enough: an announcement costs every commit of the database a little. */
import type { Store } from '#store/store'

/** Milliseconds, for each account. */
const apart = 200
const remembered = 1000

export function createCallBack(store: Store): (account: string, now: number) => void {
  const last = new Map<string, number>()
  return (account, now) => {
    if (now - (last.get(account) ?? Number.NEGATIVE_INFINITY) < apart) return
    if (last.size >= remembered) last.clear()
    last.set(account, now)
    void store.changes.publish('leases', account)
  }
}
