import { expect, test } from 'bun:test'
import { lossList } from './field-writers.ts'
import { knownFields, unknownFields } from './known-fields.ts'

const known = knownFields('id free', { delta: knownFields('text'), list: knownFields('a', { inner: knownFields('b') }) })

function reported(...pieces: Record<string, unknown>[]): string[] {
  const losses = lossList()
  const tell = unknownFields(losses)
  for (const piece of pieces) tell(piece, known)
  return losses.losses.map(({ field }) => field)
}

test('unknown fields are reported by their path, at every depth, once a stream', () => {
  const piece = { id: 1, later: 1, delta: { text: 'x', more: 1 }, list: [{ a: 1 }, { a: 1, c: 2, inner: { b: 1, d: 1 } }] }
  expect(reported(piece, piece, { also: 1 })).toEqual(['later', 'delta.more', 'list[1].c', 'list[1].inner.d', 'also'])
})

test('null is absent, values of another type and free values are not looked into', () => {
  expect(reported({ later: null, free: { a: { b: 1 } }, delta: 'text', list: ['x', null, 5] })).toEqual([])
  expect(reported(JSON.parse('{"__proto__":1,"toString":1,"a b":1}'))).toEqual(['__proto__', 'toString', '*'])
})

test('an upstream that invents fields does not fill the log', () => {
  const pieces = Array.from({ length: 100 }, (_, index) => ({ [`field${index}`]: 1 }))
  expect(reported(...pieces)).toHaveLength(32)
})

test('what a stream remembers of its pieces hides no field: not in another order, not in more, not inside', () => {
  const usual = { id: 1, delta: { text: 'x' }, list: [{ a: 1 }] }
  expect(reported(usual, usual, { delta: { text: 'x' }, id: 1 }, { id: 1 }, usual)).toEqual([])
  expect(reported(usual, { ...usual, more: 1 })).toEqual(['more'])
  expect(reported(usual, { id: 1, delta: { text: 'x', more: 1 }, list: [{ a: 1 }] })).toEqual(['delta.more'])
  expect(reported(usual, { id: 1, delta: { text: 'x' }, list: [{ a: 1 }, { b: 1 }] })).toEqual(['list[1].b'])
  expect(reported(usual, { id: 1, other: { text: 'x' }, list: [{ a: 1 }] })).toEqual(['other'])
  const shapes = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? { id: 1, free: 1 } : { free: 1, id: 1 }))
  expect(reported(...shapes, { free: 1, id: 1, late: 1 })).toEqual(['late'])
  expect(reported({ id: 1, gone: null, free: 1 }, { id: 1, gone: 2, free: 1 })).toEqual(['gone'])
})
