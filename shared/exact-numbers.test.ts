import { expect, test } from 'bun:test'
import {
  exact,
  exactNumber,
  isRawNumber,
  keepDigits,
  parseArguments,
  parseAsWritten,
  parseExact,
  parseExactObject,
} from './exact-numbers.ts'

const again = (json: string) => JSON.stringify(parseExact(json))

test('what a double holds is a number, in whatever form it was written', () => {
  for (const number of [
    '0',
    '-0',
    '1',
    '1.0',
    '1.50',
    '1e3',
    '1E+3',
    '100e-2',
    '0.000',
    '9007199254740991',
    '5e-324',
    '1e21',
    '0e999',
    '1e0009',
  ])
    expect([number, typeof exactNumber(number)]).toEqual([number, 'number'])
  expect(typeof exactNumber('0.3000000000000000000')).toBe('number')
})

test('what a double changes is written as it came', () => {
  const changed = [
    '9007199254740993',
    '-9223372036854775808',
    '0.10000000000000001',
    '1e400',
    '-1e400',
    '1e-400',
    '123456789012345678e5',
    '4e-324',
  ]
  for (const number of changed) {
    expect([number, isRawNumber(exactNumber(number))]).toEqual([number, true])
    for (const json of [number, `[${number}]`, `{"a":{"b":[1,${number}]}}`]) expect(again(json)).toBe(json)
  }
})

test('arguments of tools keep floats without a fraction, whatever else they hold', () => {
  const json = '{"a":1.0,"b":[-2.00,0.0,1,1.5,1e3,12345678901234567890],"c":"1.0","d":{"e":3.0}}'
  expect(JSON.stringify(parseArguments(json))).toBe(json.replace('1e3', '1000'))
  expect(JSON.stringify(parseArguments('{"a":1}'))).toBe('{"a":1}')
  for (const other of ['[1.0]', '{"a":1.0', '1.0']) expect(parseArguments(other)).toBeUndefined()
})

test('what is parsed to be written again keeps its numbers in their form', () => {
  const json = '{"a":1.0,"b":[-0,1e3,1E+3,0.10,12345678901234567890,1e400],"c":"1.0","d":7,"e":{"f":-2.50}}'
  expect(JSON.stringify(parseAsWritten(json))).toBe(json)
  expect(JSON.stringify(parseAsWritten('1.0'))).toBe('1.0')
  const own = { at: 1_800_000_000_000, tiny: 1e-7, large: 1e21, list: [0.1, -1], text: null }
  expect(parseAsWritten(JSON.stringify(own))).toEqual(own)
})

test('no other value is raw', () => {
  for (const value of [null, undefined, 1, 'a', {}, [], { rawJSON: '1' }, Object.freeze({ rawJSON: '1' })])
    expect(isRawNumber(value)).toBe(false)
  expect(parseExactObject('12345678901234567890')).toBeUndefined()
  expect(parseExactObject('[12345678901234567890]')).toBeUndefined()
  expect(parseExactObject('{"a":')).toBeUndefined()
  expect(again('{"a":"12345678901234567890","__proto__":{"b":[12345678901234567890]},"c":{}}')).toBe(
    '{"a":"12345678901234567890","__proto__":{"b":[12345678901234567890]},"c":{}}',
  )
})

test('a parsed value stays as it is, and what holds long numbers has a twin, as a whole and in part', () => {
  const json = '{"a":{"b":[1,12345678901234567890],"c":{"d":1.5}},"e":{"f":2},"\\u0067":[[1e400]]}'
  const value = JSON.parse(json)
  const before = structuredClone(value)
  keepDigits(json, value)
  expect(value).toEqual(before)
  expect(JSON.stringify(exact(value))).toBe('{"a":{"b":[1,12345678901234567890],"c":{"d":1.5}},"e":{"f":2},"g":[[1e400]]}')
  expect(JSON.stringify(exact(value.a))).toBe('{"b":[1,12345678901234567890],"c":{"d":1.5}}')
  expect(JSON.stringify({ ...value.a, b: exact(value.a.b) })).toBe('{"b":[1,12345678901234567890],"c":{"d":1.5}}')
  expect(exact(value.e)).toBe(value.e)
  expect(exact(value.a.c)).toBe(value.a.c)
  expect(exact(exact(value))).toBe(exact(value))
})

test('texts that nest without end are left', () => {
  const deep = `${'['.repeat(200_000)}12345678901234567890${']'.repeat(200_000)}`
  const value = JSON.parse(deep)
  expect(() => keepDigits(deep, value)).not.toThrow()
})

test('long texts take no more than their length', () => {
  const hard = [`[${'1'.repeat(400_000)}]`, `[${'1,'.repeat(200_000)}1]`, `[${' '.repeat(400_000)}1]`, `{"a":"${':-'.repeat(200_000)}"}`]
  const start = performance.now()
  for (const json of hard) parseExact(json)
  expect(performance.now() - start).toBeLessThan(2_000)
})
