/** Slices in memory against a wallet that is only a number: random work by random instances never spends what is not there. */
import { describe, expect, test } from 'bun:test'
import type { BookLine, LeaseState } from '#store/leases'
import { seeded } from '#testing/seeded'
import { createSlices, type Slices } from './slices.ts'

const line = (covered: bigint): BookLine => ({
  row: {
    requestId: 'r',
    at: new Date(0),
    userId: 'w',
    group: 'g',
    model: 'm',
    operation: 'generate',
    dialect: 'chat',
    stream: false,
    status: 200,
    end: 'complete',
    cost: covered,
    losses: [],
    totalMs: 1,
    attempts: [],
  },
  wallet: 'w',
  owed: covered,
  covered,
})

interface Instance {
  slices: Slices
  leased: bigint
  open: bigint[]
  lines: BookLine[]
}

describe('slices', () => {
  test.each([0, 60_000])('what is held and owed never exceeds the lease, and all of it comes back (cover %d ms)', (coverMs) => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = seeded(seed)
      const instances = Array.from({ length: 1 + random.below(4) }, (): Instance => {
        return { slices: createSlices(coverMs), leased: 0n, open: [], lines: [] }
      })
      let [free, spent, granted] = [5_000n, 0n, 0]
      let now = 0
      const hold = (each: Instance, need: bigint) => {
        const served = () => {
          granted += 1
          each.open.push(need)
        }
        if (each.slices.take('w', need, now)) return served()
        each.slices.wait('w', { need, since: now, served, refused: () => {} })
      }
      const sync = (each: Instance, all: boolean) => {
        const lines = each.lines.splice(0, 1 + random.below(5))
        const give = each.slices.gifts(lines, all, now)
        const wishes = each.slices.wishes(now)
        // What comes while the call is under way.
        if (random.below(3) === 0) hold(each, BigInt(1 + random.below(100)))
        for (const { covered } of lines) {
          each.leased -= covered
          spent += covered
        }
        for (const { amount } of give) {
          each.leased -= amount
          free += amount
        }
        expect(each.leased).toBeGreaterThanOrEqual(0n)
        for (const { need, want } of wishes) {
          if (free < need) continue
          const part = free / BigInt(2 * instances.length)
          const got = need > (want < part ? want : part) ? need : want < part ? want : part
          each.leased += got
          free -= got
        }
        for (const sent of lines) each.slices.acknowledge(sent)
        const state: LeaseState = { leased: each.leased, free, live: instances.length }
        each.slices.accept(wishes, new Map([['w', state]]), now)
        const held = each.open.reduce((sum, amount) => sum + amount, 0n)
        const owed = each.lines.reduce((sum, { covered }) => sum + covered, 0n)
        expect(held + owed).toBeLessThanOrEqual(each.leased)
      }
      for (let step = 0; step < 400; step++) {
        now += random.below(40)
        const each = instances[random.below(instances.length)]
        if (!each) continue
        const amount = each.open.length > 0 && random.below(3) === 0 ? each.open.splice(random.below(each.open.length), 1)[0] : undefined
        if (amount !== undefined) each.lines.push(line(each.slices.settle('w', amount, (amount * BigInt(random.below(15))) / 10n)))
        else if (random.below(2) === 0) hold(each, BigInt(1 + random.below(100)))
        else if (random.below(8) === 0) each.slices.release('w', now)
        else sync(each, random.below(4) === 0)
      }
      expect(granted).toBeGreaterThan(0)
      for (const each of instances) {
        each.slices.refuse(Number.POSITIVE_INFINITY)
        for (const amount of each.open.splice(0)) each.lines.push(line(each.slices.settle('w', amount, amount)))
        now += 10_000
        while (each.lines.length > 0 || each.leased > 0n) {
          const before = [each.lines.length, each.leased]
          sync(each, true)
          each.slices.refuse(Number.POSITIVE_INFINITY)
          for (const amount of each.open.splice(0)) each.slices.settle('w', amount, 0n)
          now += 10_000
          if (each.lines.length === 0 && each.leased === before[1] && before[0] === 0 && each.leased > 0n)
            throw new Error('it keeps what it does not need')
        }
      }
      expect(free + spent).toBe(5_000n)
    }
  })

  test('those who wait are served in order, and a later one passes only when that takes nothing from them', () => {
    const slices = createSlices(0)
    const said: string[] = []
    const ask = (name: string, need: bigint) =>
      slices.wait('w', { need, since: 0, served: () => said.push(name), refused: (why) => said.push(`${name} ${why}`) })
    ask('big', 100n)
    ask('small', 10n)
    const wishes = slices.wishes(0)
    expect(wishes).toMatchObject([{ need: 100n, want: 110n }])
    slices.accept(wishes, new Map([['w', { leased: 50n, free: 0n, live: 2 }]]), 0)
    expect(said).toEqual([])
    slices.accept(slices.wishes(1), new Map([['w', { leased: 105n, free: 0n, live: 2 }]]), 1)
    expect(said).toEqual(['big'])
    expect(slices.take('w', 5n, 1)).toBe(false)
    slices.accept(slices.wishes(300), new Map([['w', { leased: 105n, free: 0n, live: 2 }]]), 300)
    expect(said).toEqual(['big', 'small poor'])
    expect(slices.take('w', 5n, 300)).toBe(true)
    expect(slices.settle('w', 5n, 50n)).toBe(5n)
  })

  test('alone, who cannot be served is refused at once', () => {
    const slices = createSlices(60_000)
    const said: string[] = []
    slices.wait('w', { need: 100n, since: 0, served: () => said.push('served'), refused: (why) => said.push(why) })
    slices.accept(slices.wishes(0), new Map([['w', { leased: 0n, free: 99n, live: 1 }]]), 0)
    expect(said).toEqual(['poor'])
  })
})
