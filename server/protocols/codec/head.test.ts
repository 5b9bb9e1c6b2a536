import { expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { standInsOf } from './head.ts'

test('a list of names, in order; absent is undefined', () => {
  expect(standInsOf({ models: ['b', 'a'] })).toEqual({ models: ['b', 'a'] })
  expect(standInsOf({ models: [] })).toEqual({ models: [] })
  expect([standInsOf({}), standInsOf({ models: null })]).toEqual([{}, {}])
})

test('anything else is refused with the field', () => {
  for (const models of ['a', 5, {}, [5], [''], ['a\u0000'], ['x'.repeat(257)], Array(21).fill('a')]) {
    let thrown: unknown
    try {
      standInsOf({ models })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(GatewayError)
    expect([(thrown as GatewayError).status, (thrown as GatewayError).param]).toEqual([400, 'models'])
  }
})
