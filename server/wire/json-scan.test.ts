import { describe, expect, spyOn, test } from 'bun:test'
import { exact } from '#shared/exact-numbers'
import { threadMs, threadNow } from '#testing/thread-time'
import { nameTable } from './json-names.ts'
import { isNamed, scanFields, scanObject } from './json-scan.ts'

const code = (expected: string) => expect.objectContaining({ code: expected })

function spansOf(text: string): [key: string, json: string][] {
  return (scanFields(text)?.fields ?? []).map((field) => {
    const key: string = JSON.parse(text.slice(field.keyStart, field.keyEnd))
    expect([isNamed(text, field, key), isNamed(text, field, `${key}x`), isNamed(text, field, '\\')]).toEqual([true, false, false])
    return [key, text.slice(field.valueStart, field.valueEnd)]
  })
}

test('finds each top-level field, in order, with the text of its value', () => {
  expect(spansOf(' { "a" : 1e3 ,"b":"x,\\"}" , "c":{"a":[1,{"d":2}]}, "e":[] }')).toEqual([
    ['a', '1e3'],
    ['b', '"x,\\"}"'],
    ['c', '{"a":[1,{"d":2}]}'],
    ['e', '[]'],
  ])
})

test('every occurrence of a duplicate, escaped keys, and keys with a meaning of their own', () => {
  const text = '{"model":"a","mod\\u0065l":"b","__proto__":{"x":1},"":0}'
  expect(spansOf(text).map(([key]) => key)).toEqual(['model', 'model', '__proto__', ''])
  expect(spansOf('{"a\\"b":1,"\\n":2,"\\\\n":3}').map(([key]) => key)).toEqual(['a"b', '\n', '\\n'])
  expect(() => scanObject(text)).toThrow(code('ambiguous_field'))
  const { value } = scanObject('{"mod\\u0065l":"b","__proto__":{"x":1},"":0}')
  expect(value.model).toBe('b')
  expect(value.x).toBeUndefined()
  expect(({} as Record<string, unknown>).x).toBeUndefined()
})

test('backslashes before a quote are counted', () => {
  expect(spansOf('{"a":"\\\\","b":"\\\\\\"","c":1}')).toEqual([
    ['a', '"\\\\"'],
    ['b', '"\\\\\\""'],
    ['c', '1'],
  ])
})

describe('what is refused', () => {
  test('what is no object', () => {
    for (const text of ['[]', '1', '"x"', 'null', ' [{"a":1}]']) expect(() => scanObject(text)).toThrow(code('invalid_request'))
  })

  test('what is no JSON', () => {
    const texts = [
      '',
      ' ',
      '{',
      '{"a":1,}',
      '{"a":1}x',
      '{"a"}',
      '{a:1}',
      "{'a':1}",
      '{"a":1}{"b":2}',
      '\ufeff{}',
      '{"a":"\n"}',
      '{"a":NaN}',
      '{"a:1}',
    ]
    for (const text of texts) expect(() => scanObject(text)).toThrow(code('invalid_json'))
  })

  test('nesting: 64 levels pass, 65 do not, brackets in strings do not count', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(scanObject(nested(64)).fields).toHaveLength(1)
    expect(() => scanObject(nested(65))).toThrow(code('invalid_request'))
    expect(scanObject(`{"a":"${'['.repeat(100)}"}`).fields).toHaveLength(1)
  })

  test('100,000 levels, closed or not, in an object or not, at once', () => {
    const deep = '['.repeat(100_000)
    const ms = threadMs(() => {
      for (const text of [`{"a":${deep}`, deep, `{"a":${deep}${']'.repeat(100_000)}}`, '{"a":'.repeat(100_000)]) {
        expect(() => scanObject(text)).toThrow(code('invalid_request'))
      }
    })
    expect(ms).toBeLessThan(200)
  })

  test('a million fields', () => {
    const text = `{${Array.from({ length: 1_000_000 }, (_, i) => `"${i}":1`).join()}}`
    const start = threadNow()
    expect(() => scanObject(text)).toThrow(code('invalid_request'))
    expect(threadNow() - start).toBeLessThan(1000)
  })

  test('no message holds what was received', () => {
    for (const text of ['{"sk-secret": ', '["sk-secret"]', `{"sk-secret":${'['.repeat(70)}`]) {
      try {
        scanObject(text)
      } catch (error) {
        expect(String(error)).not.toContain('secret')
      }
    }
  })
})

describe('time is linear', () => {
  const cases = {
    'a string of 10 MB': `{"model":"m","x":"${'a'.repeat(10_000_000)}"}`,
    'a string of escaped quotes': `{"x":"${'\\"'.repeat(2_000_000)}"}`,
    'a string of backslashes': `{"x":"${'\\\\'.repeat(2_000_000)}"}`,
    'white space': `{"x":${' '.repeat(4_000_000)}1${' '.repeat(4_000_000)}}`,
    'a list of a million numbers': `{"x":[${'1,'.repeat(1_000_000)}1]}`,
    'a million small strings': `{"x":[${'"",'.repeat(1_000_000)}""]}`,
  }
  test.each(Object.entries(cases))('%s', (_, text) => {
    const start = threadNow()
    expect(scanObject(text).value).toHaveProperty('x')
    expect(threadNow() - start).toBeLessThan(2000)
  })
})

test('never fails or hangs on garbage', () => {
  for (const text of ['{"a', '{"a\\', '{"a":"\\', '}', ']]]', '{:,:,"a":,}', '{"a":1 "b":2}', '{"a"::2}', '{,}', '"']) {
    expect(() => scanFields(text)).not.toThrow()
    expect(() => scanObject(text)).toThrow()
  }
})

describe('beginnings that are sought', () => {
  const names = nameTable({ names: ['a'], sought: ['gw1.', 'cache_control"'] })
  const begins = (text: string) => [...scanObject(text, names).begins].sort()

  test('are noted of names and values at any depth', () => {
    expect(begins('{"a":"gw1.x"}')).toEqual(['gw1.'])
    expect(begins('{"b":[["gw1."]]}')).toEqual(['gw1.'])
    expect(begins('{"b":{"c":{"cache_control":{}}}}')).toEqual(['cache_control"'])
    expect(begins('{"cache_control":null,"a":"gw1.x"}')).toEqual(['cache_control"', 'gw1.'])
  })

  test('are not what stands within a string, or is longer', () => {
    expect(begins('{"a":"x gw1.","b":"say \\"gw1.\\"","cache_controls":1}')).toEqual([])
  })
})

test.each([
  ['9007199254740991', 1],
  ['-9007199254740992', 1],
  ['0.12345678901234', 1],
  ['1234567890123.45', 1],
  ['9007199254740993', 2],
  ['12345678901234.567', 2],
  ['0.1234567890123456', 2],
  ['1e3', 2],
])('%s is read %i times', (number, times) => {
  const read = spyOn(JSON, 'parse')
  try {
    const { value } = scanObject(`{"a":[${number}]}`)
    expect(read.mock.calls.length).toBe(times)
    expect(Number(JSON.stringify(exact(value.a)).slice(1, -1))).toBe(Number(number))
  } finally {
    read.mockRestore()
  }
})
