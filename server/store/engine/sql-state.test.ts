import { expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { asBooksError, sqlState } from './sql-state.ts'

const coded = (code: string) => Object.assign(new Error('driver'), { code })
const wrapped = (code: string) => new Error('outer', { cause: new Error('middle', { cause: coded(code) }) })

test('finds the SQLSTATE along the chain of causes, and nothing else', () => {
  expect(sqlState(coded('23505'))).toBe('23505')
  expect(sqlState(wrapped('XX000'))).toBe('XX000')
  expect(sqlState(coded('EPIPE'))).toBeUndefined()
  expect(sqlState(coded('CONNECTION_CLOSED'))).toBeUndefined()
  expect(sqlState('23505')).toBeUndefined()
})

test.each(['08006', '57P01', '53300', '25006', '57014', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT', 'ECONNREFUSED', 'EPIPE', 'ENOTFOUND'])(
  'a connection that fails with %s becomes books_unavailable',
  (code) => {
    const cause = wrapped(code)
    const error = asBooksError(cause)
    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({ code: 'books_unavailable', status: 503, retryAfter: 1, cause })
  },
)

test.each(['23505', '22012', '42601', '40001'])('a statement that fails with %s stays what it was', (code) => {
  const thrown = wrapped(code)
  expect(asBooksError(thrown)).toBe(thrown)
})

test('a circle of causes ends', () => {
  const error = new Error('round')
  error.cause = error
  expect(sqlState(error)).toBeUndefined()
})
