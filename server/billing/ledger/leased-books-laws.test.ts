/**
 * Laws of the books that hold whatever happens around them, on both engines in a deep run: a model, a clock that jumps, an overrun, a
 * broken disk.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, existsSync, readdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { postCredit } from '#store/accounts/users'
import { chargesIn } from '#testing/books/invariants'
import { booksPlace, codeOf, here, type Place } from '#testing/books/test-books'
import { sampledEngines } from '#testing/database/database'
import { sampled } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { usageRow } from '#testing/usage-row'

/** Linux: which files this process has open. */
const openFiles = '/proc/self/fd'

/** A log that keeps its errors. */
function errorLog(): Log & { errors: [fields: object, message: string][] } {
  const errors: [object, string][] = []
  const ignore = () => {}
  return { errors, debug: ignore, info: ignore, warn: ignore, error: (fields, message) => void errors.push([fields, message]) }
}

describe.each(sampledEngines(import.meta.file))('laws of the books on %s', (engine) => {
  let place: Place
  beforeAll(async () => {
    place = await booksPlace(engine)
  }, 60_000)
  afterEach(async () => expect(await place.settled()).toEqual([]), 30_000)
  afterAll(() => place.close())

  const row = (requestId: string, userId: string, cost: bigint) => usageRow({ requestId, userId, cost })

  test.each(sampled([1, 2, 3], 1))(
    'L-7 they agree with books that are a few lines, over random work, seed %i',
    async (seed) => {
      const books = await place.begin({ settleWaits: true }, here)
      const random = seeded(seed)
      const id = await place.wallet(1_000n)
      let balance = 1_000n
      const held = new Map<string, bigint>()
      const over = new Map<string, bigint>()
      const free = () => balance - [...held.values()].reduce((sum, amount) => sum + amount, 0n)
      const charged: [string, bigint][] = []
      for (let step = 0; step < 200; step++) {
        const request = `${id}-${random.below(40)}`
        const amount = BigInt(random.below(300))
        const mine = held.get(request)
        const what = random.below(6)
        if (what < 2 && !over.has(request)) {
          const expected = mine !== undefined || free() >= amount
          expect(await codeOf(books.hold(request, [{ id }], amount))).toBe(expected ? 'ok' : 'insufficient_quota')
          if (mine === undefined && expected) held.set(request, amount)
        } else if (what === 2) {
          const expected = mine !== undefined && free() >= amount
          expect(await books.grow(request, amount)).toBe(expected)
          if (mine !== undefined && expected) held.set(request, mine + amount)
        } else if (what < 5) {
          const cost = random.below(2) === 0 ? amount : 0n
          const most = (mine ?? 0n) + free()
          await books.settle(row(request, id, cost))
          if (over.has(request)) continue
          over.set(request, mine === undefined ? 0n : cost < most ? cost : most)
          held.delete(request)
          balance -= over.get(request) ?? 0n
          charged.push([request, over.get(request) ?? 0n])
        } else {
          const credit = random.below(3) === 0 ? -amount : amount
          const possible = credit > 0n || free() >= amount
          const posting = { amount: credit, actor: 'a', reason: 'r', at: new Date(0) }
          const posted = await postCredit(place.store, id, `${id}-${step}`, posting, async () => {}).catch(() => 'refused')
          expect(posted).toBe(possible ? 'posted' : 'refused')
          if (possible) balance += credit
        }
        if (step % 20 === 0) expect((await place.money(id))[0]).toBe(balance)
      }
      for (const [request] of held) await books.release(row(request, id, 0n))
      expect(await place.money(id)).toEqual([balance, 0n])
      const rows = await chargesIn(place.store)
      expect(charged.filter(([request, amount]) => rows.get(request) !== amount)).toEqual([])
    },
    60_000,
  )

  test.each([3_600_000, -3_600_000])('L-8 a clock that jumps by %d ms takes no hold away', async (jump) => {
    let shift = 0
    const clock = { ...systemClock, now: () => systemClock.now() + shift }
    const books = await place.begin({ clock, settleWaits: true })
    const id = await place.wallet(1_000n)
    await books.hold(`${id}-1`, [{ id }], 400n)
    shift = jump
    expect(await books.grow(`${id}-1`, 100n)).toBe(true)
    expect(await codeOf(books.hold(`${id}-2`, [{ id }], 501n))).toBe('insufficient_quota')
    expect(await codeOf(books.hold(`${id}-3`, [{ id }], 500n))).toBe('ok')
    expect(await books.writeOff()).toBe(0)
    await books.settle(row(`${id}-1`, id, 450n))
    await books.settle(row(`${id}-3`, id, 500n))
    expect(await place.money(id)).toEqual([50n, 0n])
  })

  test('what costs more than is left is charged as far as it goes, and the rest is said as an error', async () => {
    const log = errorLog()
    const books = await place.begin({ settleWaits: true, log })
    const id = await place.wallet(100n)
    await books.hold(`${id}-1`, [{ id }], 30n)
    await books.hold(`${id}-2`, [{ id }], 40n)
    await books.settle(row(`${id}-1`, id, 55n))
    expect(log.errors).toEqual([])
    await books.settle(row(`${id}-2`, id, 900n))
    const rows = await chargesIn(place.store)
    expect([rows.get(`${id}-1`), rows.get(`${id}-2`)]).toEqual([55n, 45n])
    expect(log.errors).toMatchObject([
      [{ requestId: `${id}-2`, cost: '900', charged: '45' }, expect.stringContaining('the operator bears')],
    ])
    expect(await place.money(id)).toEqual([0n, 0n])
  })

  test.if(existsSync(openFiles)).each(['never', 'always'] as const)(
    'a journal whose disk refuses: what was open is settled, nobody is let in meanwhile, and it mends itself (fsync %s)',
    async (fsync) => {
      const log = errorLog()
      const books = await place.begin({ settleWaits: false, fsync, log })
      const id = await place.wallet(10_000n)
      await books.hold(`${id}-1`, [{ id }], 100n)
      // Every write to it, and every sync of it, fails from now on.
      for (const name of readdirSync(openFiles)) {
        const path = linkOf(`${openFiles}/${name}`)
        if (path.startsWith(place.base.folder) && path.endsWith('000001.log')) closeSync(Number(name))
      }
      const settled = books.settle(row(`${id}-1`, id, 60n))
      const during = await codeOf(books.hold(`${id}-2`, [{ id }], 100n))
      await settled
      await books.flush()
      expect(during).toBe('journal_full')
      expect(log.errors.map(([, message]) => message)).toContainEqual(expect.stringContaining('the journal cannot be written'))
      expect((await chargesIn(place.store)).get(`${id}-1`)).toBe(60n)
      // The next file is being made.
      let after = during
      for (let tries = 0; tries < 500 && after !== 'ok'; tries++) {
        after = await codeOf(books.hold(`${id}-3`, [{ id }], 100n))
        if (after !== 'ok') await systemClock.sleep(20)
      }
      expect(after).toBe('ok')
      await books.settle(row(`${id}-3`, id, 70n))
      await books.flush()
      expect((await place.money(id))[0]).toBe(9_870n)
    },
  )

  test('a disk without room for the next file: what was let in is settled, the others are told, and it goes on when there is room', async () => {
    const log = errorLog()
    const books = await place.begin({ settleWaits: false, log, maxBytes: 64 * 1024 })
    const id = await place.wallet(1_000_000n)
    const [folder = ''] = journalsIn(place.base.folder).slice(-1)
    renameSync(folder, `${folder}.away`)
    writeFileSync(folder, '')
    let served = 0
    while (served < 200 && (await codeOf(books.hold(`${id}-${served}`, [{ id }], 100n))) === 'ok')
      await books.settle(row(`${id}-${served++}`, id, 60n))
    expect(await codeOf(books.hold(`${id}-more`, [{ id }], 100n))).toBe('journal_full')
    expect(served).toBeWithin(5, 200)
    rmSync(folder)
    renameSync(`${folder}.away`, folder)
    let after = ''
    for (let tries = 0; tries < 500 && after !== 'ok'; tries++) {
      after = await codeOf(books.hold(`${id}-after`, [{ id }], 100n))
      if (after !== 'ok') await systemClock.sleep(20)
    }
    expect(after).toBe('ok')
    await books.settle(row(`${id}-after`, id, 60n))
    await books.flush()
    expect((await place.money(id))[0]).toBe(1_000_000n - 60n * BigInt(served + 1))
    expect(log.errors.map(([, message]) => message)).toContainEqual(expect.stringContaining('could not create its next file'))
  })
})

/** The folder of every journal, in the order of their instances' beginning. */
function journalsIn(base: string): string[] {
  const places = readdirSync(base).filter((name) => name.startsWith('instance-'))
  const inOrder = places.sort((a, b) => Number(a.slice(9)) - Number(b.slice(9)))
  return inOrder.flatMap((name) => {
    const journals = join(base, name, 'journal')
    return existsSync(journals) ? readdirSync(journals).map((instance) => join(journals, instance)) : []
  })
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
