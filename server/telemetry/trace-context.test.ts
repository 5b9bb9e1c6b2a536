import { expect, test } from 'bun:test'
import { readTraceParent, readTraceState, samplerOf, writeTraceParent } from './trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

test.each([
  [`00-${traceId}-${spanId}-01`, true],
  [`00-${traceId}-${spanId}-00`, false],
  [`00-${traceId}-${spanId}-03`, true],
  [` 00-${traceId}-${spanId}-01 `, true],
  // A later version may say more.
  [`cc-${traceId}-${spanId}-01-what-the-future-brings`, true],
])('%s is read', (header, sampled) => {
  expect(readTraceParent(header)).toEqual({ traceId, spanId, sampled })
})

test.each([
  null,
  '',
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01-more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}x-${spanId}-01`,
])('%p is nobody’s trace', (header) => {
  expect(readTraceParent(header)).toBeUndefined()
})

test('what is written is read again', () => {
  for (const sampled of [true, false])
    expect(readTraceParent(writeTraceParent({ traceId, spanId, sampled }))).toEqual({ traceId, spanId, sampled })
})

test('a state is passed on as it is, or not at all', () => {
  expect([readTraceState('a=1,b=2'), readTraceState('a=\n'), readTraceState('x'.repeat(513)), readTraceState(null)]).toEqual([
    'a=1,b=2',
    undefined,
    undefined,
    undefined,
  ])
})

test('a parent-based sampler follows the caller, any other samples its share', () => {
  const ids = Array.from({ length: 4_000 }, (_, at) => Bun.hash(String(at)).toString(16).padStart(16, '0').repeat(2))
  const share = (name: string | undefined, argument?: string, parent?: boolean) => {
    const sampler = samplerOf(name, argument)
    return ids.filter((id) => sampler(id, parent === undefined ? undefined : { traceId: id, spanId, sampled: parent })).length / ids.length
  }
  expect([share(undefined), share(undefined, undefined, false), share('always_on', undefined, false)]).toEqual([1, 0, 1])
  expect([share('always_off'), share('parentbased_always_off', undefined, true)]).toEqual([0, 1])
  expect(share('traceidratio', '0.25')).toBeCloseTo(0.25, 1)
  expect(share('parentbased_traceidratio', '0.25', true)).toBe(1)
  for (const [name, argument] of [['some'], ['traceidratio', '2'], ['traceidratio', 'x']] as const)
    expect(() => samplerOf(name, argument)).toThrow(/OTEL_TRACES_SAMPLER/)
})
