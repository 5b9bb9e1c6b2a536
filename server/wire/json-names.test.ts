import { describe, expect, test } from 'bun:test'
import { foldName, nameTable } from './json-names.ts'
import { refuseDuplicates, scanFields, scanObject } from './json-scan.ts'
import { demandExact } from './splice.ts'

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const table = nameTable({ names: ['model', 'messages', 'tools', 'parameters', 'fileData', 'n', 'task'], free: ['parameters'], twin: snake })

const outcome = (text: string, names: typeof table | null = table) => {
  try {
    scanObject(text, names ?? undefined)
    return 'taken'
  } catch (thrown) {
    const { code, param } = thrown as { code: string; param?: string }
    return param === undefined ? code : `${code} ${param}`
  }
}

describe('a name twice in one object is refused, wherever it stands and however it is written', () => {
  test.each([
    ['{"model":"a","model":"b"}', 'ambiguous_field model'],
    ['{"model":"a","mod\\u0065l":"b"}', 'ambiguous_field model'],
    ['{"model":"a","messages":[{"x":1},{"x":1,"y":{"z":[{"q":1,"q":1}]}}]}', 'ambiguous_field'],
    ['{"a":{"parameters":{"free":{"a":1,"a":2}}}}', 'ambiguous_field'],
    ['{"__proto__":1,"__proto__":2}', 'ambiguous_field'],
    ['{"1":1,"1":2}', 'ambiguous_field'],
    ['{"":1,"":2}', 'ambiguous_field'],
    ['{"a":[[[{"n":1,"n":1}]]]}', 'ambiguous_field n'],
    ['{"a" : 1 , "b":"\\"c\\":1,", "c":1}', 'taken'],
    ['{"a":{"x":1},"b":{"x":1},"x":[{"x":1},{"x":1}]}', 'taken'],
    ['{"__proto__":{"a":1},"constructor":{"a":1}}', 'taken'],
    ['{"a":"{\\"x\\":1,\\"x\\":2}"}', 'taken'],
  ])('%s', (text, wanted) => {
    expect(outcome(text)).toBe(wanted)
    expect(outcome(text, null)).toBe(wanted.split(' ')[0] ?? '')
    const isRefused = wanted !== 'taken'
    if (isRefused) expect(() => refuseDuplicates(` ${text}`, JSON.parse(text))).toThrow()
    else refuseDuplicates(` ${text}`, JSON.parse(text))
  })
})

describe('a variant of a known name is refused where the dialect defines names', () => {
  test.each([
    ['{"Model":"a"}', 'ambiguous_field model'],
    ['{"model":"a","MODEL":"b"}', 'ambiguous_field model'],
    ['{"m\\u004fdel":"a"}', 'ambiguous_field model'],
    ['{"me\u017fsages":[]}', 'ambiguous_field messages'],
    ['{"tas\u212a":1}', 'ambiguous_field task'],
    ['{"N":7}', 'ambiguous_field n'],
    ['{"messages":[{"tools":[{"Messages":1}]}]}', 'ambiguous_field messages'],
    ['{"fileData":{},"file_data":{}}', 'ambiguous_field fileData'],
    ['{"file_data":{}}', 'taken'],
    ['{"File_Data":{}}', 'ambiguous_field file_data'],
    ['{"filedata":{}}', 'ambiguous_field fileData'],
    ['{"parameters":{"Model":1,"properties":{"MODEL":{},"model":{}}}}', 'taken'],
    ['{"x_new":{"Model":1}}', 'taken'],
    ['{"mödel":1,"modél":1,"models":1,"mode":1}', 'taken'],
    [`{"${'M'.repeat(100_000)}":1}`, 'taken'],
  ])('%.60s', (text, wanted) => {
    expect(outcome(text)).toBe(wanted)
    expect(outcome(text, null)).toBe('taken')
  })
})

test('names fold as a reader without regard to case folds them', () => {
  expect(['Ma\u212be', 'STRASSE', 'straße', 'ΣΣ', 'İ', 'ı'].map(foldName)).toEqual(['maåe', 'strasse', 'straße', 'σσ', 'i\u0307', 'ı'])
})

test('a field that a channel sets or removes has no variant beside it', () => {
  const text = '{"model":"m","Enable_Thinking":true,"n\\u0061me":1}'
  const spans = scanFields(text)
  if (!spans) throw new Error('no object')
  expect(() => demandExact(text, spans, ['enable_thinking'])).toThrow(
    expect.objectContaining({ code: 'ambiguous_field', param: 'enable_thinking' }),
  )
  expect(() => demandExact(text, spans, ['NAME'])).toThrow(expect.objectContaining({ code: 'ambiguous_field' }))
  demandExact(text, spans, ['model', 'Enable_Thinking', 'name', 'other'])
})
