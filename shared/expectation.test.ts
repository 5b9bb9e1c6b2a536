import { expect, test } from 'bun:test'
import { checker } from './check.ts'
import { KeepBodies } from './console/body.ts'
import { ChannelKey, ChannelModel } from './console/channel.ts'
import { Decimal, Int, Name, OneOf, type TSchema, Type } from './typebox.ts'

const said = (schema: TSchema, value: unknown) => checker(schema).faults(value)[0]?.message

test('where several kinds of values are allowed, all of them are named, whatever kind the wrong one is', () => {
  for (const wrong of [1.5, -1, 'some', null, [], {}])
    expect([wrong, said(KeepBodies, wrong)]).toEqual([wrong, 'Expected true or false, errors or a number from 0 to 1'])
  const amount = Type.Union([Decimal(), Type.Literal('none'), Type.Null()])
  expect(said(amount, 5)).toBe('Expected a plain decimal number with up to 13 digits and 9 places, such as 0.5, none or null')
  expect(said(Type.Union([Int(1, 9), Type.Number({ exclusiveMinimum: 0, maximum: 2 })]), 'x')).toBe(
    'Expected a whole number from 1 to 9 or a number above 0, up to 2',
  )
  expect(said(Type.Union([Type.Array(Type.String()), Type.Null()]), 7)).toBe('Expected a list or null')
})

test('where one kind fits, what is wrong within it is told', () => {
  expect(said(Type.Union([Int(1, 1200), Type.Null()]), 0)).toBe('Expected a whole number from 1 to 1200')
  expect(said(Type.Union([OneOf(['a', 'b']), Type.Null()]), 'c')).toBe('Expected one of: a, b')
  expect(said(ChannelKey, 'with a space')).toBe('Expected visible ASCII characters without spaces, or a JSON object')
  expect(checker(ChannelModel).faults({ name: 'm', upstraem: 'x' })).toMatchObject([{ code: 'unknown_field', path: ['upstraem'] }])
  expect(said(ChannelModel, 7)).toBe('Expected text or an object of fields')
  expect(said(Type.Union([Name(), Type.Null()]), '')).toBe('Expected text that is not empty')
})

test('a value of the wrong size or kind is told what fits', () => {
  const list = Type.Array(Type.String(), { minItems: 2, maxItems: 3, uniqueItems: true })
  const cases: [TSchema, wrong: unknown, expected: string][] = [
    [Type.String({ minLength: 8 }), 'x', 'at least 8 characters'],
    [Type.String({ maxLength: 2 }), 'xyz', 'at most 2 characters'],
    [Type.String({ description: 'The name of a user.' }), 7, 'text'],
    [Type.Array(Type.String(), { minItems: 1 }), [], 'a list that is not empty'],
    [list, ['a'], 'at least 2 entries'],
    [list, ['a', 'b', 'c', 'd'], 'at most 3 entries'],
    [list, ['a', 'a'], 'a list without repetitions'],
    [list, {}, 'a list'],
    [Type.Object({}, { minProperties: 1 }), {}, 'a field'],
    [Type.Record(Type.String(), Type.String(), { maxProperties: 2 }), { a: '', b: '', c: '' }, 'at most 2 fields'],
    [Type.Object({}), 'x', 'an object of fields'],
    [Type.Boolean(), 'yes', 'true or false'],
    [Type.Integer(), 1.5, 'a whole number'],
    [Type.Integer({ minimum: 1 }), 0, 'a whole number of at least 1'],
    [Type.Number({ maximum: 2 }), 3, 'a number up to 2'],
    [Type.Number({ exclusiveMinimum: 0 }), 0, 'a number above 0'],
    [Type.Literal('on'), 'off', 'on'],
  ]
  for (const [schema, wrong, expected] of cases) expect([wrong, said(schema, wrong)]).toEqual([wrong, `Expected ${expected}`])
})
