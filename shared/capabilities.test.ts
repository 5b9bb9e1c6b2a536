import { expect, test } from 'bun:test'
import { declaredCapabilities } from './capabilities.ts'

test('of what a channel declares, known facts of the right type count', () => {
  const declared = { maxInputs: 96, tools: false, serves: 'embed', contextTokens: '9', madeUp: true, toString: true }
  expect(declaredCapabilities(declared)).toEqual({ maxInputs: 96, tools: false, serves: 'embed' })
  expect(declaredCapabilities({})).toEqual({})
})
