import { expect, test } from 'bun:test'
import type { UrlState } from '#client/ui/console/url-state.ts'
import { isRequestId, listPath, rangeOf } from './request-filters.ts'

const at = (values: Record<string, string>): UrlState => ({ get: (name) => values[name] ?? '', set: () => {}, href: () => '' })
const asked = (values: Record<string, string>) => Object.fromEntries(new URLSearchParams(listPath(at(values), 90_061_000).split('?')[1]))

test('a list is of the last day, of a span that has a name, of all, or between two times', () => {
  expect(asked({})).toEqual({ limit: '50', from: '1970-01-01T01:01:00.000Z' })
  expect(asked({ range: '1h', errorText: 'no quota' })).toEqual({ limit: '50', from: '1970-01-02T00:01:00.000Z', errorText: 'no quota' })
  expect(asked({ range: 'all' })).toEqual({ limit: '50' })
  // An end alone reaches back to the first request, and what has a name does not cut it off.
  expect(asked({ to: '1969-01-01T00:00:00Z' })).toEqual({ limit: '50', to: '1969-01-01T00:00:00Z' })
  expect(rangeOf(at({ range: '7d', from: '1970-01-01T00:00:00Z' }))).toBeUndefined()
})

test('an id of a request is told from words', () => {
  expect(['req_7Kd9QmT4xW01', 'req_', 'quota', 'invalid_api_key', 'req_ 7Kd9QmT4xW01'].map(isRequestId)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})
