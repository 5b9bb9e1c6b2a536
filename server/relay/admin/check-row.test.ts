/** Usage rows of scheduled checks: owned by the installation, charged to nobody, with the upstream's cost. */
import { expect, test } from 'bun:test'
import type { Usage } from '#canonical/usage'
import type { Candidate } from '#routing/order'
import { checkRow } from './check-row.ts'
import type { Probed } from './probe.ts'

const usage = {
  in: { fresh: 10, cacheRead: 0, cacheWrite: { '5m': 0, '1h': 0, other: 0 }, audio: 0, image: 0 },
  out: { total: 2, reasoning: 0, audio: 0, image: 0 },
  units: { requests: 1, images: 0, seconds: 0, characters: 0, searches: 0 },
  provenance: 'provider',
  raw: null,
} as Usage
const channel = { name: 'main', groups: new Set(['vip', 'default']), costs: { gpt: { input: '1', output: '2' } } }
const candidate = { channel, model: { name: 'gpt', upstream: 'gpt-5' }, key: { name: 'key 1' } } as unknown as Candidate
const probed = (fields: Partial<Probed['result']>, used?: Usage): Probed => ({
  ...{ candidate, stream: false, at: 1_700_000_000_000, usage: used },
  result: { ok: true, status: 200, ms: 12, error: null, ...fields },
})

test('an answer is a row of the house with its usage and what the upstream charges', () => {
  expect(checkRow(probed({}, usage), 'req_1')).toMatchObject({
    ...{ requestId: 'req_1', userId: 'house', keyId: null, key: 'scheduled check', group: 'vip', model: 'gpt', upstreamModel: 'gpt-5' },
    ...{ channel: 'main', status: 200, end: 'complete', error: null, cost: 0n, price: null, provenance: 'provider', totalMs: 12 },
    upstreamCost: 14_000n,
    attempts: [{ channel: 'main', key: 'key 1', phase: 'done', status: 200, cause: null, ms: 12 }],
  })
})

test('a failure says where it happened, and costs nothing', () => {
  const error = { code: 'upstream_error', message: 'no' }
  const row = checkRow(probed({ ok: false, status: 500, error }), 'req_2')
  expect(row).toMatchObject({ status: 500, end: 'error', error, usage: null, upstreamCost: null, attempts: [{ phase: 'first-event' }] })
  const away = checkRow(probed({ ok: false, status: null, error: { code: 'upstream_unreachable', message: 'no' } }), 'req_3')
  expect(away).toMatchObject({ status: 502, attempts: [{ phase: 'connect', cause: 'upstream_unreachable' }] })
})
