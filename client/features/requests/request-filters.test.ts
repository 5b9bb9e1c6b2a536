import { expect, test } from 'bun:test'
import type { UrlState } from '#client/ui/console/url-state.ts'
import { isRequestId, listPath, rangeOf } from './request-filters.ts'

const at = (values: Record<string, string>): UrlState => ({ get: (name) => values[name] ?? '', set: () => {}, href: () => '' })
const asked = (values: Record<string, string>) => Object.fromEntries(new URLSearchParams(listPath(at(values), 90_061_000).split('?')[1]))

test('a list covers the last day, a named range, everything, or the time between two instants', () => {
  expect(asked({})).toEqual({ limit: '50', from: '1970-01-01T01:01:00.000Z' })
  expect(asked({ range: '1h', errorText: 'no quota' })).toEqual({ limit: '50', from: '1970-01-02T00:01:00.000Z', errorText: 'no quota' })
  expect(asked({ range: 'all' })).toEqual({ limit: '50' })
  // An end alone includes everything before it, and a named range does not limit it.
  expect(asked({ to: '1969-01-01T00:00:00Z' })).toEqual({ limit: '50', to: '1969-01-01T00:00:00Z' })
  expect(rangeOf(at({ range: '7d', from: '1970-01-01T00:00:00Z' }))).toBeUndefined()
})

test('request ids are distinguished from other text', () => {
  expect(['req_7Kd9QmT4xW01', 'req_', 'quota', 'invalid_api_key', 'req_ 7Kd9QmT4xW01'].map(isRequestId)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})
