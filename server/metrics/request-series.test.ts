import { expect, test } from 'bun:test'
import { noUsage } from '#canonical/usage'
import { usageRow } from '#testing/usage-row'
import { createRequestSeries } from './request-series.ts'

const priced = { price: { input: '1', ratio: '1' } }

test('requests of one series are added up, others stay apart', () => {
  const series = createRequestSeries()
  const usage = { ...noUsage(), in: { ...noUsage().in, fresh: 10, cacheRead: 4, cacheWrite: { '5m': 1, '1h': 2, other: 3 } } }
  usage.out = { ...usage.out, total: 7, reasoning: 5 }
  for (const requestId of ['a', 'b']) series.add(usageRow({ ...priced, requestId, usage, cost: 3n, upstreamCost: 2n, channel: 'one' }))
  series.add(usageRow({ ...priced, requestId: 'c', channel: 'two' }))
  expect([...series.requests]).toMatchObject([
    {
      labels: { channel: 'one', model: 'm', status: '200' },
      requests: 2,
      tokens: { input: 20, cacheRead: 8, cacheWrite: 12, output: 14, reasoning: 10 },
      cost: 6,
      upstreamCost: 4,
    },
    { labels: { channel: 'two' }, requests: 1, cost: 0 },
  ])
})

test('a model that nobody configured makes no series of its own', () => {
  const series = createRequestSeries()
  for (const model of ['x', 'y', 'z']) series.add(usageRow({ requestId: model, model, price: null, status: 404 }))
  expect([...series.requests]).toMatchObject([{ labels: { model: '', status: '404' }, requests: 3 }])
})

test('the number of models and keys is bounded; the rest is "other"', () => {
  const series = createRequestSeries()
  for (let n = 0; n < 700; n++) series.add(usageRow({ ...priced, requestId: `${n}`, model: `m${n}`, key: `k${n}`, cost: 1n }))
  expect([...series.requests].length).toBe(201)
  expect([...series.requests].at(-1)).toMatchObject({ labels: { model: 'other' }, requests: 500 })
  expect([series.keys.size, series.keys.get('other')]).toEqual([501, { cost: 200 }])
})

test('errors by code, and attempts that failed though another one answered', () => {
  const series = createRequestSeries()
  const attempt = { channel: 'one', key: 'k', phase: 'done', status: null, ms: 1 } as const
  const attempts = [
    { ...attempt, cause: 'upstream_timeout' },
    { ...attempt, cause: null },
  ]
  series.add(usageRow({ requestId: 'a', attempts }))
  series.add(usageRow({ requestId: 'b', attempts, error: { code: 'upstream_error', message: '' } }))
  expect([...series.failedAttempts]).toEqual([{ labels: { channel: 'one', cause: 'upstream_timeout' }, count: 2 }])
  expect([...series.retries]).toEqual([{ labels: { channel: 'one' }, count: 2 }])
  expect([...series.fallbacks]).toEqual([])
  expect([...series.errors]).toEqual([{ labels: { operation: 'generate', code: 'upstream_error' }, count: 1 }])
})

test('a fallback counts when its model answered, not when it was only tried', () => {
  const series = createRequestSeries()
  const attempt = { channel: 'one', key: 'k', phase: 'done', status: null, ms: 1 } as const
  const failed = { ...attempt, cause: 'upstream_timeout' }
  const other = { ...attempt, channel: 'two', model: 'other', cause: null }
  series.add(usageRow({ ...priced, requestId: 'a', attempts: [failed, other] }))
  series.add(usageRow({ ...priced, requestId: 'b', attempts: [failed, { ...other, cause: 'upstream_error' }] }))
  expect([...series.fallbacks]).toEqual([{ labels: { model: 'm', to: 'other' }, count: 1 }])
  expect([...series.retries]).toEqual([{ labels: { channel: 'two' }, count: 2 }])
})
