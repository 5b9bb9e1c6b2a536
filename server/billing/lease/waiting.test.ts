/** Who waits is served when what came back is enough, and a crowd of others costs an end next to nothing. */
import { expect, test } from 'bun:test'
import { type Claimed, createWaitingList, type Waiter } from './waiting.ts'

interface Lease extends Claimed {
  amount: bigint
}
const lease = (amount = 0n): Lease => ({ amount, claimed: 0n, waiting: 0 })

function crowd(size: number) {
  let looks = 0
  const served: string[] = []
  const list = createWaitingList<Lease, string, Waiter<Lease, string>>({
    claims: 'shortfalls',
    spare({ amount }) {
      looks += 1
      return amount
    },
  })
  const wallet = lease()
  const add = (name: string, leases: readonly Lease[]) => {
    const needs = leases.map((lease) => ({ lease, amount: 10n }))
    const take = () => {
      for (const { lease } of needs) lease.amount -= 10n
      served.push(name)
    }
    list.add({ needs, since: 0, served: take, refused: () => {} })
  }
  for (let n = 0; n < size; n++) add(`${n}`, [n % 100 === 0 ? wallet : lease(), lease(), lease()])
  const looksOf = (work: () => void) => {
    looks = 0
    work()
    return looks
  }
  return { list, wallet, add, served, looksOf }
}

test('of a crowd only those are looked at whom the freed lease could help', () => {
  const { list, wallet, served, looksOf } = crowd(1_000)
  wallet.amount = 10n
  expect(looksOf(() => list.serve([wallet]))).toBeLessThanOrEqual(30)
  expect(served).toEqual([])
})

test('whom the freed lease helps is served at once, in the order of coming', () => {
  const { list, wallet, add, served } = crowd(1_000)
  const full = lease(100n)
  add('first', [wallet, full])
  add('second', [full, wallet])
  list.serve([full])
  expect(served).toEqual([])
  wallet.amount = 1_000n
  list.serve([wallet])
  expect(served).toEqual(['first', 'second'])
})
