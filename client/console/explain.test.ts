import { expect, test } from 'bun:test'
import { ApiError } from '#client/api/http.ts'
import { errorAt, explain } from './explain.ts'

const refused = (message: string, param?: string, code = 'invalid_value') => new ApiError(message, { status: 400, code, param })

test('what a form says has no names of the API, and says what to enter', () => {
  const decimal = refused('budget.monthly: Expected a plain decimal number with up to 9 places, such as 0.5 or null.', 'budget.monthly')
  expect(explain(decimal)).toBe('Enter a plain number with up to 9 decimal places, such as 0.5.')
  expect(errorAt(decimal, 'budget')).toBe(explain(decimal))
  expect(errorAt(decimal, 'limits')).toBeUndefined()
  expect(explain(refused('limits.rpm: Expected a whole number from 0 to 1000000 or null.', 'limits.rpm'))).toBe(
    'Enter a whole number from 0 to 1,000,000.',
  )
  expect(explain(refused('name: Expected text that is not empty.', 'name'))).toBe('This field is required.')
  expect(explain(refused('weight: Expected a whole number of at least 1.', 'weight'))).toBe('Enter 1 or more.')
  expect(explain(refused('logBodies: Expected a number from 0 to 1.', 'logBodies'))).toBe('Enter a number from 0 to 1.')
  expect(explain(refused('name: Expected at most 64 characters.', 'name'))).toBe('Enter at most 64 characters.')
  expect(explain(refused('password: is common.', 'password', 'weak_password'))).toStartWith('This password is easy to guess')
  expect(explain(refused('group: expected a group of this server.', 'group'))).toBe('Expected a group of this server.')
  expect(explain(refused('', undefined, 'strange'))).toBe('Something went wrong (strange).')
})
