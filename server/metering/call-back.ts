/** Asks every instance for what it can spare of a wallet, and seldom enough: an announcement costs every commit of the database a little. */
import type { Store } from '#store/store'

/** Milliseconds, for each wallet. */
const apart = 200
const remembered = 1000

export function createCallBack(store: Store): (wallet: string, now: number) => void {
  const last = new Map<string, number>()
  return (wallet, now) => {
    if (now - (last.get(wallet) ?? Number.NEGATIVE_INFINITY) < apart) return
    if (last.size >= remembered) last.clear()
    last.set(wallet, now)
    void store.changes.publish('wallets', wallet)
  }
}
