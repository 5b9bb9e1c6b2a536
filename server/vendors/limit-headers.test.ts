import { describe, expect, test } from 'bun:test'
import { secondsToWait, spentFor, withPlainWait } from './limit-headers.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

describe('seconds to wait', () => {
  test.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0' }, 1],
    [{ 'retry-after': '1.2' }, 2],
    [{ 'retry-after': '1000000000' }, 60],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '5, 7' }, undefined],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:09 GMT' }, 9],
    [{ 'retry-after': 'Saturday, 21-Nov-26 12:00:09 GMT' }, undefined],
    [{ 'retry-after': 'Wed, 21 Oct 2065 07:28:00 GMT' }, 60],
    [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 1],
    [{ 'retry-after-ms': '1500', 'retry-after': '30' }, 2],
    [{ 'retry-after-ms': '-1', 'retry-after': '30' }, 30],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }, 60],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m2.5s' }, 60],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '8ms' }, 1],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '12.2s' }, 13],
    [{ 'x-ratelimit-remaining-tokens': '9', 'x-ratelimit-reset-tokens': '12s' }, undefined],
    [{ 'anthropic-ratelimit-requests-remaining': '0', 'anthropic-ratelimit-requests-reset': '2026-11-21T12:00:21Z' }, 21],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + 4_000) }, 4],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 4) }, 4],
    [{ 'retry-after': '3', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '50' }, 3],
  ])('%p: %p', (headers, seconds) => {
    expect(secondsToWait(new Headers(headers), now)).toBe(seconds)
    expect(withPlainWait(new Headers(headers), now).get('retry-after')).toBe(seconds === undefined ? null : String(seconds))
  })

  test('of several limits that are used up the last one counts', () => {
    const headers = new Headers({
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-11-21T12:00:05Z',
      'anthropic-ratelimit-output-tokens-remaining': '0',
      'anthropic-ratelimit-output-tokens-reset': '2026-11-21T12:00:30Z',
    })
    expect(secondsToWait(headers, now)).toBe(30)
  })
})

describe('spent', () => {
  test.each<[Record<string, string>, number]>([
    [{}, 0],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20s' }, 20_000],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6h' }, 60_000],
    [{ 'x-ratelimit-remaining-requests': '0' }, 0],
    [{ 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '20s' }, 0],
    [{ 'x-ratelimit-remaining-tokens': '900', 'x-ratelimit-limit-tokens': '100000', 'x-ratelimit-reset-tokens': '5s' }, 5_000],
    [{ 'x-ratelimit-remaining-tokens': '1100', 'x-ratelimit-limit-tokens': '100000', 'x-ratelimit-reset-tokens': '5s' }, 0],
    [{ 'anthropic-ratelimit-input-tokens-remaining': '0', 'anthropic-ratelimit-input-tokens-reset': '2026-11-21T12:00:07Z' }, 7_000],
    [{ 'x-ratelimit-remaining-requests': '-3', 'x-ratelimit-reset-requests': '20s' }, 0],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': 'never' }, 0],
  ])('%p: %p ms', (headers, ms) => {
    expect(spentFor(new Headers(headers), now)).toBe(ms)
  })
})
