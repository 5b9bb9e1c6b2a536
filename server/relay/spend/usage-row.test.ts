import { expect, test } from 'bun:test'
import { noUsage } from '#canonical/usage'
import type { Candidate } from '#routing/order'
import type { Log } from '#runtime/log'
import type { PriceFields } from '#shared/console/price'
import { type Facts, logOverflowedBook, usageRow } from './usage-row.ts'

const dearest: PriceFields = { input: '10000', output: '10000' }
// Only the fields that the row needs of a caller and a channel.
const served = { channel: { name: 'c', costs: { m: dearest } }, model: { name: 'm', upstream: 'm' } } as unknown as Candidate
const caller = { user: { id: 'u' }, key: null, group: { name: 'g', ratio: 1_000_000n } } as Facts['ask']['caller']

function row(fresh: number, losses: Facts['losses'] = []) {
  const usage = { ...noUsage(), in: { ...noUsage().in, fresh } }
  const facts: Facts = {
    ask: { requestId: 'r', caller, operation: 'generate', dialect: 'chat' },
    at: new Date(0),
    head: undefined,
    price: undefined,
    served,
    losses,
    attempts: [],
    firstTokenMs: undefined,
    totalMs: 1,
  }
  return usageRow(facts, { end: 'complete', status: 200, error: undefined, usage, cost: 7n })
}

test('a second book beyond what a column holds is left open, and the log says so', () => {
  const said: unknown[] = []
  const log = { warn: (facts: object) => said.push(facts) } as unknown as Log
  const billion = row(1_000_000_000)
  expect(billion).toMatchObject({ cost: 7n, upstreamCost: 10_000_000n * 1_000_000_000n, upstreamPrice: dearest })
  logOverflowedBook(log, billion)
  expect(said).toEqual([])
  const nonsense = row(Number.MAX_SAFE_INTEGER)
  expect(nonsense).toMatchObject({ cost: 7n, upstreamCost: null, upstreamPrice: dearest })
  logOverflowedBook(log, nonsense)
  expect(said).toEqual([{ requestId: 'r' }])
})

test('a row keeps a bounded number of losses, with names of bounded length', () => {
  const loss = (n: number) => ({
    field: `k${n}${'x'.repeat(10_000)}`,
    what: 'dropped' as const,
    reason: 'It is not known.',
    meaning: false,
  })
  const few = Array.from({ length: 200 }, (_, n) => loss(n))
  expect(row(1, few).losses.map(({ field }) => field.length)).toEqual(few.map(() => 256))
  const { losses } = row(1, [...few, loss(200), loss(201)])
  expect(losses).toHaveLength(201)
  expect(losses.at(-1)).toEqual({ field: 'others', what: 'dropped', reason: '2 further losses are not listed.' })
})
