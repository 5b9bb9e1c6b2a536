import { describe, expect, test } from 'bun:test'
import { threadNow } from '#testing/thread-time'
import { inlined, olderSchema, readSchema } from './schema.ts'

test('the older kind is read as JSON Schema', () => {
  expect(
    readSchema({
      type: 'OBJECT',
      property_ordering: ['a_b'],
      properties: {
        a_b: { type: 'STRING', nullable: true, enum: ['x'], min_length: '1', example: 'x' },
        type: {
          anyOf: [{ type: 'INTEGER' }, { type: 'ARRAY', items: { type: 'NUMBER', format: 'float' }, maxItems: '3' }],
          nullable: true,
        },
        any: { type: 'TYPE_UNSPECIFIED', description: 'd' },
      },
      required: ['a_b'],
    }),
  ).toEqual({
    type: 'object',
    properties: {
      a_b: { type: ['string', 'null'], enum: ['x', null], minLength: 1, examples: ['x'] },
      type: { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'number', format: 'float' }, maxItems: 3 }, { type: 'null' }] },
      any: { description: 'd' },
    },
    required: ['a_b'],
  })
})

test('odd values in the older kind do no harm', () => {
  for (const schema of [
    { type: 5 },
    { properties: [] },
    { items: 'x' },
    { anyOf: {} },
    { ['__proto__']: { x: 1 } },
    { enum: 'x', nullable: true },
  ]) {
    expect(() => readSchema(schema)).not.toThrow()
  }
})

describe('JSON Schema as this dialect takes it', () => {
  test('a root that is an object, no $schema', () => {
    expect(inlined({ $schema: 'http://x', properties: { a: {} } })).toEqual({ type: 'object', properties: { a: {} } })
    expect(inlined({ anyOf: [{ type: 'object' }] })).toEqual({ anyOf: [{ type: 'object' }] })
  })

  test('references are put in place, everything else stays', () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      properties: { a: { $ref: '#/$defs/A', description: 'mine' }, b: { items: { $ref: '#/$defs/B~1C' } } },
      $defs: { A: { type: 'string', description: 'theirs' }, 'B/C': { properties: { a: { $ref: '#/$defs/A' } } } },
    }
    expect(inlined(schema)).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: {
        a: { type: 'string', description: 'mine' },
        b: { items: { properties: { a: { type: 'string', description: 'theirs' } } } },
      },
    })
  })

  test('circles and multiplying references are refused, quickly', () => {
    const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
    expect(inlined({ properties: { a: ref('A') }, $defs: { A: { properties: { a: ref('A') } } } })).toBeUndefined()
    const laughs = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`L${i}`, { anyOf: [ref(`L${i + 1}`), ref(`L${i + 1}`)] }]))
    const start = threadNow()
    expect(inlined({ properties: { a: ref('L0') }, $defs: laughs })).toBeUndefined()
    expect(threadNow() - start).toBeLessThan(2000)
    expect(inlined({ properties: { a: { $ref: '#/nowhere/__proto__' } } })).toEqual({ type: 'object', properties: { a: {} } })
  })
})

test('the older kind carries what it can, and reports the rest', () => {
  let reported = 0
  const written = olderSchema(
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        a: { type: ['string', 'null'], format: 'email', const: 'x' },
        b: { oneOf: [{ type: 'integer', enum: [1, null] }] },
        c: { type: 'array', items: { type: 'string', format: 'date-time' }, minItems: 1 },
      },
    },
    () => reported++,
  )
  expect(written).toEqual({
    type: 'OBJECT',
    properties: {
      a: { type: 'STRING', nullable: true, enum: ['x'] },
      b: { anyOf: [{ type: 'INTEGER', enum: ['1'] }] },
      c: { type: 'ARRAY', items: { type: 'STRING', format: 'date-time' }, minItems: 1 },
    },
  })
  expect(reported).toBe(2)
})
