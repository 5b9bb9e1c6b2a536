import { expect, test } from 'bun:test'
import { readModelNames } from './model-names.ts'

const names = (list: unknown) => readModelNames(JSON.stringify(list))

test('the layouts that are known, sorted and each once', () => {
  expect(names({ object: 'list', data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }] })).toEqual(['a', 'b'])
  expect(names({ models: [{ name: 'models/g' }, { name: 'c' }] })).toEqual(['c', 'g'])
  expect(names([{ id: 'bare' }, 'word', 5, null, { id: 7 }, { id: 'x\u0001' }])).toEqual(['bare', 'word'])
  expect(names({ data: [] })).toEqual([])
})

test('what is no list', () => {
  expect([names({}), names({ data: 'x' }), names(null), readModelNames('<html>')]).toEqual([undefined, undefined, undefined, undefined])
})
