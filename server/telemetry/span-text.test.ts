/** What a collector reads of a finished request. */
import { expect, test } from 'bun:test'
import { noUsage } from '#canonical/usage'
import { systemRandom } from '#runtime/clock'
import type { AttemptRow } from '#shared/console/log'
import { usageRow } from '#testing/usage-row'
import { spansText } from './span-text.ts'
import { samplerOf } from './trace-context.ts'
import { tracedRequests } from './traced-requests.ts'

const vendors = new Map([['one', 'gemini']])
const attempt = (more: Partial<AttemptRow>): AttemptRow => ({
  ...{ channel: 'one', key: 'first', phase: 'done', status: 200, cause: null, ms: 40 },
  ...more,
})
const nasty = 'a "name"\\\n\u0001 ünd 漢字 \ud800'

interface Attribute {
  key: string
  value: object
}

/** The spans of a row with these attempts, by what a collector would read. */
function spansOf(row: Partial<Parameters<typeof usageRow>[0]>, attempts: readonly AttemptRow[], parent?: string) {
  const requests = tracedRequests({ now: () => 1_700_000_000_005 }, systemRandom, samplerOf())
  const request = requests.begin('id', new Headers(parent === undefined ? {} : { traceparent: parent }))
  for (const each of attempts) request.begin(each)
  const text = spansText(usageRow({ requestId: 'id', attempts: [...attempts], ...row }), request, vendors)
  return { request, text, spans: JSON.parse(`[${text}]`) as (Record<string, unknown> & { attributes: Attribute[] })[] }
}
const attributesOf = (span: { attributes: Attribute[] } | undefined) =>
  Object.fromEntries(span?.attributes.map(({ key, value }) => [key, value]) ?? [])

test('a request and its attempts: ids, times, kinds, and numbers as OTLP writes them', () => {
  const usage = noUsage()
  Object.assign(usage.in, { fresh: 90, cacheRead: 10 })
  Object.assign(usage.out, { total: 30, reasoning: 4 })
  const { request, spans } = spansOf(
    { usage, cost: 1_500_000n, channel: 'one', upstreamModel: 'm-2', key: 'ci', totalMs: 120, firstTokenMs: 50, stream: true },
    [attempt({ channel: 'gone', status: null, cause: 'upstream_timeout', key: null }), attempt({ model: 'fallback' })],
  )
  const { traceId, spanId } = request
  expect(spans).toMatchObject([
    {
      ...{ traceId, spanId, name: 'chat m', kind: 2, flags: 0x101 },
      ...{ startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000000120000000' },
      events: [{ name: 'gen_ai.first_token', timeUnixNano: '1700000000050000000' }],
    },
    {
      ...{ traceId, parentSpanId: spanId, name: 'chat m', kind: 3, status: { code: 2, message: 'upstream_timeout' } },
      ...{ startTimeUnixNano: '1700000000005000000', endTimeUnixNano: '1700000000045000000' },
    },
    { traceId, parentSpanId: spanId, name: 'chat fallback', kind: 3 },
  ])
  expect(spans.slice(1).map((span) => span.spanId)).toEqual(request.attempts.map((each) => each.spanId))
  expect(spans[0]).not.toHaveProperty('parentSpanId')
  expect(spans[0]).not.toHaveProperty('status')
  expect(attributesOf(spans[0])).toEqual({
    'gen_ai.operation.name': { stringValue: 'chat' },
    'gen_ai.provider.name': { stringValue: 'gcp.gemini' },
    'gen_ai.request.model': { stringValue: 'm' },
    'gen_ai.response.model': { stringValue: 'm-2' },
    'http.response.status_code': { intValue: '200' },
    'parley.request_id': { stringValue: 'id' },
    'parley.dialect': { stringValue: 'chat' },
    'parley.stream': { boolValue: true },
    'parley.end': { stringValue: 'complete' },
    'parley.group': { stringValue: 'default' },
    'parley.cost_usd': { doubleValue: 0.0015 },
    'user.id': { stringValue: 'u' },
    'parley.key': { stringValue: 'ci' },
    'parley.channel': { stringValue: 'one' },
    'gen_ai.usage.input_tokens': { intValue: '100' },
    'gen_ai.usage.output_tokens': { intValue: '30' },
    'gen_ai.usage.cache_read.input_tokens': { intValue: '10' },
    'gen_ai.usage.reasoning.output_tokens': { intValue: '4' },
  })
  expect(attributesOf(spans[1])).toEqual({
    'gen_ai.operation.name': { stringValue: 'chat' },
    'gen_ai.provider.name': { stringValue: 'parley' },
    'gen_ai.request.model': { stringValue: 'm' },
    'parley.channel': { stringValue: 'gone' },
    'parley.phase': { stringValue: 'done' },
    'error.type': { stringValue: 'upstream_timeout' },
  })
})

test('whatever is in a name stays in its place', () => {
  const row = { model: nasty, group: nasty, key: nasty, userId: nasty, memberId: nasty, upstreamModel: nasty, channel: nasty }
  const losses = [{ field: nasty, what: 'dropped' as const, reason: nasty }]
  const error = { code: 'upstream_error' as const, message: 'secret' }
  const { text, spans } = spansOf({ ...row, losses, error, firstTokenMs: 1 }, [attempt({ channel: nasty, key: nasty, model: nasty })])
  for (const [span, names] of [
    [
      spans[0],
      ['gen_ai.request.model', 'gen_ai.response.model', 'parley.group', 'parley.key', 'user.id', 'parley.member', 'parley.channel'],
    ],
    [spans[1], ['gen_ai.request.model', 'parley.channel', 'parley.channel_key']],
  ] as const)
    for (const name of names) expect([name, attributesOf(span)[name]]).toEqual([name, { stringValue: nasty }])
  expect(spans[0]?.events).toMatchObject([
    { name: 'gen_ai.first_token' },
    { name: 'parley.loss', attributes: [{ value: { stringValue: nasty } }, {}, {}] },
  ])
  expect(spans[0]).toMatchObject({ status: { code: 2, message: 'upstream_error' }, name: `chat ${nasty}` })
  expect(JSON.stringify(spans)).not.toContain('secret')
  expect(text).toMatch(/^[ -~]+$/)
})

test('the span of a caller is the parent, in another process', () => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const { spans } = spansOf({}, [attempt({})], `00-${trace}-${span}-01`)
  expect(spans).toMatchObject([
    { traceId: trace, parentSpanId: span, flags: 0x301 },
    { traceId: trace, flags: 0x101 },
  ])
})

test('a time between two milliseconds is one', () => {
  const { spans } = spansOf({ totalMs: 1.25 }, [])
  expect(spans[0]).toMatchObject({ endTimeUnixNano: '1700000000001250000' })
})
