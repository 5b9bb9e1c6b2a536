import { describe, expect, test } from 'bun:test'
import { sample } from './sample.ts'
import { placesIn } from './tools.ts'

describe('sample', () => {
  const cases: [why: string, schema: unknown, expected: unknown][] = [
    ['no schema', undefined, null],
    ['nothing known', {}, 'demo'],
    [
      'only required fields',
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] },
      { a: 'demo a' },
    ],
    ['a required field without a schema', { type: 'object', required: ['a'] }, { a: 'demo a' }],
    [
      'const, enum, default',
      { type: 'object', properties: { a: { const: 1 }, b: { enum: [2, 3] }, c: { default: 4 } }, required: ['a', 'b', 'c'] },
      { a: 1, b: 2, c: 4 },
    ],
    ['nullable', { type: ['null', 'boolean'] }, true],
    ['anyOf', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 1],
    [
      'allOf',
      {
        allOf: [
          { properties: { a: { const: 1 } }, required: ['a'] },
          { properties: { b: { const: 2 } }, required: ['b'] },
        ],
      },
      { a: 1, b: 2 },
    ],
    ['format', { type: 'string', format: 'email' }, 'ada@example.com'],
    ['lengths', { type: 'string', minLength: 6, maxLength: 7 }, 'demo..'],
    ['short', { type: 'string', maxLength: 2 }, 'de'],
    ['minimum', { type: 'integer', minimum: 10 }, 10],
    ['exclusive minimum', { type: 'integer', exclusiveMinimum: 10 }, 11],
    ['maximum below', { type: 'integer', maximum: -5 }, -5],
    ['multiple', { type: 'number', multipleOf: 0.25, minimum: 3.1 }, 3.25],
    ['narrow', { type: 'number', exclusiveMinimum: 0.1, exclusiveMaximum: 0.2 }, 0.15000000000000002],
    ['items', { type: 'array', items: { type: 'boolean' }, maxItems: 0 }, []],
  ]
  for (const [why, schema, expected] of cases) test(why, () => expect(sample(schema)).toEqual(expected))

  test('recursive and greedy schemas end', () => {
    const list = {
      $defs: {
        node: { type: 'object', properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }, required: ['next'] },
      },
      $ref: '#/$defs/node',
    }
    expect(JSON.stringify(sample(list))).toBe('{"next":{"next":{"next":{"next":null}}}}')
    const tree = { $defs: { t: { type: 'array', items: { $ref: '#/$defs/t' }, minItems: 100 } }, $ref: '#/$defs/t' }
    expect(JSON.stringify(sample(tree)).length).toBeLessThan(1_000_000)
    expect(sample({ $ref: '#' })).toBeDefined()
    expect((sample({ type: 'string', minLength: 1e12 }) as string).length).toBe(10_000)
    expect(sample({ type: 'integer', multipleOf: 0 })).toBeDefined()
  })
})

test('placesIn', () => {
  expect(placesIn('Weather in Paris and London?')).toEqual(['Paris', 'London'])
  expect(placesIn('from San Francisco, New York, and Rio de Janeiro')).toEqual(['San Francisco', 'New York', 'Rio'])
  expect(placesIn('What is the weather today?')).toEqual([])
  expect(placesIn('北京今天天气怎么样')).toEqual(['北京'])
  expect(placesIn(`in ${'A '.repeat(50_000)}`)[0]).toStartWith('A A')
})
