import { expect, test } from 'bun:test'
import { checkJsonReply, findMismatch } from './json-check.ts'

test('a reply is checked against its schema', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { enum: ['x'] } },
    required: ['a'],
    additionalProperties: false,
  }
  expect(findMismatch({ a: 1, b: 'x' }, schema, '$')).toBeUndefined()
  expect(findMismatch({ b: 'x' }, schema, '$')).toBe('$.a')
  expect(findMismatch({ a: 1.5 }, schema, '$')).toBe('$.a')
  expect(findMismatch({ a: 1, c: 2 }, schema, '$')).toBe('$.c')
  expect(findMismatch([{ a: 1 }, { a: 'x' }], { type: 'array', items: schema }, '$')).toBe('$[1].a')
  expect(checkJsonReply('{"a":', { output: 'json', schema: '' })).toEqual({ ok: false, where: '$' })
})
