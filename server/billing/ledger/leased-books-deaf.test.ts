/** An instance whose notifications are lost still gives back what others need: it sees in every answer what is left in the database. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { systemClock as clock } from '#runtime/clock'
import { leasedOf } from '#testing/books/invariants'
import { booksPlace, codeOf, here, type Place } from '#testing/books/test-books'
import { engines } from '#testing/database/database'
import { usageRow } from '#testing/usage-row'

const row = (requestId: string, cost: bigint) => usageRow({ requestId, cost })
let place: Place
beforeAll(async () => {
  if (engines.includes('postgres')) place = await booksPlace('postgres')
}, 60_000)
afterAll(() => place?.close())

test.if(engines.includes('postgres'))(
  'what a busy one that hears nothing has to spare goes to another that asks for it',
  async () => {
    const id = await place.wallet(100_000_000n)
    const other = await place.begin()
    const deaf = await place.begin({ store: { ...place.store, changes: { ...place.store.changes, subscribe: () => {} } } }, here)
    let asked = 0
    // It costs next to nothing: on a fast machine all would be needed where it is.
    const use = async () => {
      const request = `${id}-${asked++}`
      if ((await codeOf(deaf.hold(request, [{ id }], 200_000n))) === 'ok') await deaf.settle(row(request, 1n))
    }
    await other.hold(`${id}-first`, [{ id }], 10n)
    for (let n = 0; n < 400; n++) await use()
    await deaf.flush()
    const leased = await leasedOf(place.store, id)
    expect(leased).toBeGreaterThan(400_000n)
    // The other takes nearly all of the rest, and then needs a part of what is on lease.
    const [balance = 0n] = await place.money(id)
    const [most, more] = [balance - leased - 50_000n, leased / 2n]
    expect(await codeOf(other.hold(`${id}-most`, [{ id }], most))).toBe('ok')
    const codes: string[] = []
    const end = clock.monotonic() + 20_000
    while (codes.at(-1) !== 'ok' && clock.monotonic() < end) {
      codes.push(await codeOf(other.hold(`${id}-more-${codes.length}`, [{ id }], more)))
      for (let n = 0; n < 5; n++) await use()
    }
    expect(codes.at(-1)).toBe('ok')
    for (const [name, amount] of [
      ['first', 10n],
      ['most', most],
      [`more-${codes.length - 1}`, more],
    ] as const) {
      await other.settle(row(`${id}-${name}`, amount))
    }
    expect(await place.settled()).toEqual([])
  },
  60_000,
)
