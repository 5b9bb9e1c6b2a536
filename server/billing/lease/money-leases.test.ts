/** Leases in memory against a wallet that is only a number: random work by random instances never spends what is not there. */
import { describe, expect, test } from 'bun:test'
import type { BookLine } from '#store/ledger/book-line'
import type { SyncAnswer } from '#store/ledger/leases'
import { seeded } from '#testing/seeded'
import type { Account } from './account.ts'
import { createMoneyLeases, type MoneyLeases } from './money-leases.ts'

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
  accounts: ['w'],
  owed: covered,
  covered,
})

const paidBy: readonly Account[] = [{ id: 'w' }]
const answer = (leased: bigint, free: bigint, live: number, refused: number[] = []): SyncAnswer => ({
  accounts: new Map([['w', { leased, free }]]),
  live,
  refused: new Map(refused.map((n) => [n, 'w'])),
  short: new Map(),
})

const many = (count: number) => Array.from({ length: count }, (_, n) => [`w${n}`, { leased: 5n, free: 0n }] as const)

interface Instance {
  leases: MoneyLeases
  leased: bigint
  open: bigint[]
  lines: BookLine[]
}

describe('money leases', () => {
  test('a call requests a limited amount: every payer once before any payer twice, and all in the end', () => {
    const leases = createMoneyLeases(0)
    const wait = (payer: string, key: number) =>
      leases.wait({
        accounts: [{ id: payer }, { id: `day ${payer} ${key}` }, { id: `total ${payer} ${key}` }],
        ...{ amount: 1n, since: 0, until: 250, served: () => {}, refused: () => {} },
      })
    for (let key = 0; key < 200; key++) wait('crowd', key)
    for (let payer = 0; payer < 10; payer++) wait(`single ${payer}`, 0)
    const asked: string[][] = []
    while (leases.isBehind()) {
      const requests = leases.leaseRequests(0, 30)
      expect(requests.reduce((sum, { parts }) => sum + parts.length, 0)).toBeLessThanOrEqual(32)
      asked.push(requests.map(({ head }) => head?.accounts[0]?.id ?? ''))
    }
    expect(new Set(asked[0])).toEqual(new Set(['crowd', ...Array.from({ length: 9 }, (_, n) => `single ${n}`)]))
    expect(asked[1]).toContain('single 9')
    expect(asked.flat().filter((id) => id === 'crowd').length).toBeGreaterThanOrEqual(200)
  })

  test('what is idle goes back a part at a time, and all of it in the end', () => {
    const leases = createMoneyLeases(0)
    leases.accept([], { live: 1, refused: new Map(), short: new Map(), accounts: new Map(many(1_000)) }, 0)
    const returned: number[] = []
    for (let all = true; all || leases.hasUnreported(); all = false) {
      const own = leases.report([], all, 10_000)
      returned.push(own.filter(({ back }) => back > 0n).length)
    }
    expect(Math.max(...returned)).toBeLessThanOrEqual(200)
    expect(returned.reduce((a, b) => a + b, 0)).toBe(1_000)
    expect(leases.hasMoney()).toBe(false)
  })

  test('no waiting request is served from leases that may not be spent, whatever is returned meanwhile', () => {
    let maySpend = true
    const leases = createMoneyLeases(0, () => maySpend)
    const outcomes: string[] = []
    const wait = (amount: bigint, since: number, name: string) =>
      leases.wait({
        ...{ accounts: paidBy, amount, since, until: since + 250 },
        served: () => void outcomes.push(`${name} served`),
        refused: () => void outcomes.push(`${name} refused`),
      })
    leases.accept([], answer(10n, 0n, 1), 0)
    expect(leases.take(paidBy, 10n, 0)).toBe(true)
    wait(20n, 0, 'first')
    wait(5n, 1, 'second')
    maySpend = false
    leases.settle(['w'], 10n, 0n)
    leases.refuse(0)
    expect(outcomes).toEqual(['first refused'])
    maySpend = true
    leases.accept([], answer(10n, 0n, 1), 2)
    expect(outcomes).toEqual(['first refused', 'second served'])
  })

  test.each([0, 60_000])('what is held and owed never exceeds the lease, and all of it comes back (cover %d ms)', (coverMs) => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = seeded(seed)
      const instances = Array.from({ length: 1 + random.below(4) }, (): Instance => {
        return { leases: createMoneyLeases(coverMs), leased: 0n, open: [], lines: [] }
      })
      let [free, spent, granted] = [5_000n, 0n, 0]
      let now = 0
      const hold = (each: Instance, need: bigint) => {
        const served = () => {
          granted += 1
          each.open.push(need)
        }
        if (each.leases.take(paidBy, need, now) === true) return served()
        each.leases.wait({ accounts: paidBy, amount: need, since: now, until: now + 250, served, refused: () => {} })
      }
      const sync = (each: Instance, all: boolean) => {
        const lines = each.lines.splice(0, 1 + random.below(5))
        const own = each.leases.report(lines, all, now)
        const requests = each.leases.leaseRequests(now)
        // What arrives during the call.
        if (random.below(3) === 0) hold(each, BigInt(1 + random.below(100)))
        for (const { covered } of lines) {
          each.leased -= covered
          spent += covered
        }
        for (const { back } of own) {
          each.leased -= back
          free += back
        }
        expect(each.leased).toBeGreaterThanOrEqual(0n)
        const refused: number[] = []
        for (const [n, { parts }] of requests.entries()) {
          const { need, want } = parts[0] ?? { need: 0n, want: 0n }
          if (free < need) {
            refused.push(n)
            continue
          }
          const part = free / BigInt(2 * instances.length)
          const got = need > (want < part ? want : part) ? need : want < part ? want : part
          each.leased += got
          free -= got
        }
        for (const sent of lines) each.leases.acknowledge(sent)
        each.leases.accept(requests, answer(each.leased, free, instances.length, refused), now)
        const held = each.open.reduce((sum, amount) => sum + amount, 0n)
        const owed = each.lines.reduce((sum, { covered }) => sum + covered, 0n)
        expect(held + owed).toBeLessThanOrEqual(each.leased)
      }
      for (let step = 0; step < 400; step++) {
        now += random.below(40)
        const each = instances[random.below(instances.length)]
        if (!each) continue
        const amount = each.open.length > 0 && random.below(3) === 0 ? each.open.splice(random.below(each.open.length), 1)[0] : undefined
        if (amount !== undefined) each.lines.push(line(each.leases.settle(['w'], amount, (amount * BigInt(random.below(15))) / 10n)))
        else if (random.below(2) === 0) hold(each, BigInt(1 + random.below(100)))
        else if (random.below(8) === 0) each.leases.release('w', now)
        else sync(each, random.below(4) === 0)
      }
      expect(granted).toBeGreaterThan(0)
      for (const each of instances) {
        each.leases.refuse(Number.POSITIVE_INFINITY)
        for (const amount of each.open.splice(0)) each.lines.push(line(each.leases.settle(['w'], amount, amount)))
        now += 10_000
        while (each.lines.length > 0 || each.leased > 0n) {
          const before = [each.lines.length, each.leased]
          sync(each, true)
          each.leases.refuse(Number.POSITIVE_INFINITY)
          for (const amount of each.open.splice(0)) each.leases.settle(['w'], amount, 0n)
          now += 10_000
          if (each.lines.length === 0 && each.leased === before[1] && before[0] === 0 && each.leased > 0n)
            throw new Error('it keeps what it does not need')
        }
      }
      expect(free + spent).toBe(5_000n)
    }
  })

  test('waiting requests are served in order, and a later one passes only if that takes nothing from them', () => {
    const leases = createMoneyLeases(0)
    const said: string[] = []
    const ask = (name: string, need: bigint) =>
      leases.wait({
        accounts: paidBy,
        amount: need,
        since: 0,
        until: 250,
        served: () => said.push(name),
        refused: (account) => said.push(`${name} ${account?.id}`),
      })
    ask('big', 100n)
    ask('small', 10n)
    const requests = leases.leaseRequests(0)
    expect(requests).toMatchObject([{ parts: [{ need: 100n, want: 110n }] }])
    expect(leases.accept(requests, answer(50n, 0n, 2, [0]), 0)).toEqual(['w'])
    expect(said).toEqual([])
    leases.accept(leases.leaseRequests(1), answer(105n, 0n, 2), 1)
    expect(said).toEqual(['big'])
    expect(leases.take(paidBy, 5n, 1)).toBe(false)
    leases.accept(leases.leaseRequests(300), answer(105n, 0n, 2, [0]), 300)
    expect(said).toEqual(['big', 'small w'])
    expect(leases.take(paidBy, 5n, 300)).toBe(true)
    expect(leases.settle(['w'], 5n, 50n)).toBe(5n)
  })

  test('alone, who cannot be served is refused at once, and so are others who need as much, for a moment', () => {
    const leases = createMoneyLeases(60_000)
    const said: string[] = []
    const ask = (need: bigint) =>
      leases.wait({
        accounts: paidBy,
        amount: need,
        since: 0,
        until: 250,
        served: () => said.push('served'),
        refused: () => said.push(`no ${need}`),
      })
    for (const need of [100n, 150n, 99n]) ask(need)
    leases.accept(leases.leaseRequests(0), answer(0n, 99n, 1, [0]), 0)
    expect(said).toEqual(['no 100', 'no 150'])
    leases.accept(leases.leaseRequests(1), answer(99n, 0n, 1), 1)
    expect(said).toEqual(['no 100', 'no 150', 'served'])
    expect(leases.take(paidBy, 100n, 50)).toEqual({ id: 'w' })
    expect(leases.take(paidBy, 99n, 50)).toBe(false)
    // More money, or what a request leaves of its hold, ends that.
    leases.settle(['w'], 99n, 1n)
    expect(leases.take(paidBy, 100n, 51)).toBe(false)
    expect(leases.take(paidBy, 98n, 51)).toBe(true)
  })

  test.each([
    { perSecond: 1, coverMs: 60_000 },
    { perSecond: 40, coverMs: 60_000 },
    { perSecond: 40, coverMs: 10_000 },
  ])('under steady traffic a lease lasts as long as it should cover, and not many times that: %o', ({ perSecond, coverMs }) => {
    const leases = createMoneyLeases(coverMs)
    const cost = 100n
    let [free, leased, now] = [10n ** 9n, 0n, 0]
    const takes: number[] = []
    const rests: bigint[] = []
    const call = (lines: BookLine[]) => {
      for (const { back } of leases.report(lines, false, now)) {
        leased -= back
        free += back
      }
      const requests = leases.leaseRequests(now)
      for (const { covered } of lines) leased -= covered
      for (const { parts } of requests) {
        for (const { need, want } of parts) {
          const got = want > need ? want : need
          leased += got
          free -= got
          takes.push(now)
        }
      }
      for (const each of lines) leases.acknowledge(each)
      leases.accept(requests, answer(leased, free, 1), now)
    }
    for (let n = 0; n < perSecond * 900; n++) {
      now = (n * 1000) / perSecond
      const taken = leases.take(paidBy, cost, now)
      if (taken !== true) leases.wait({ accounts: paidBy, amount: cost, since: now, until: now, served: () => {}, refused: () => {} })
      if (leases.needsRefill()) call([])
      call([line(leases.settle(['w'], cost, cost))])
      if (now > 300_000) rests.push(leased)
    }
    const late = takes.filter((at) => at > 300_000)
    expect(late.length).toBeLessThanOrEqual(600_000 / coverMs + 1)
    const covered = (BigInt(perSecond) * cost * BigInt(coverMs)) / 1000n
    const least = rests.reduce((a, b) => (a < b ? a : b))
    const most = rests.reduce((a, b) => (a > b ? a : b))
    // From any moment on, what is leased here lasts that long; a lost disk strands at most a few times as much.
    expect(least).toBeGreaterThanOrEqual(covered / 2n)
    expect(most).toBeLessThanOrEqual(covered * 8n)
  })
})
