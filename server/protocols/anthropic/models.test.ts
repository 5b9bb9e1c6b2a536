import { expect, test } from 'bun:test'
import { readModelPage, writeModel, writeModelList } from './models.ts'

const model = (id: string) => ({ id, created: 1700000000 })
const five = ['a', 'b', 'c', 'd/x "y"', 'e'].map(model)
const page = (query: string) => {
  const { data, ...rest } = JSON.parse(writeModelList(five, readModelPage(new URLSearchParams(query))))
  return { ids: data.map((row: { id: string }) => row.id), ...rest }
}

test('one model', () => {
  const row = { type: 'model', id: 'org/m', display_name: 'org/m', lifecycle: 'active', created_at: '2023-11-14T22:13:20Z' }
  expect(JSON.parse(writeModel(model('org/m')))).toEqual(row)
  expect(JSON.parse(writeModel({ ...model('org/m'), contextTokens: 200000, maxOutputTokens: 64000 }))).toEqual({
    ...row,
    max_input_tokens: 200000,
    max_tokens: 64000,
  })
})

test('pages, forwards and backwards', () => {
  expect(page('')).toEqual({ ids: ['a', 'b', 'c', 'd/x "y"', 'e'], has_more: false, first_id: 'a', last_id: 'e' })
  expect(page('limit=2')).toEqual({ ids: ['a', 'b'], has_more: true, first_id: 'a', last_id: 'b' })
  expect(page('limit=2&after_id=b')).toEqual({ ids: ['c', 'd/x "y"'], has_more: true, first_id: 'c', last_id: 'd/x "y"' })
  expect(page('limit=2&after_id=d%2Fx+%22y%22')).toEqual({ ids: ['e'], has_more: false, first_id: 'e', last_id: 'e' })
  expect(page('after_id=e')).toEqual({ ids: [], has_more: false, first_id: null, last_id: null })
  expect(page('limit=2&before_id=e')).toEqual({ ids: ['c', 'd/x "y"'], has_more: true, first_id: 'c', last_id: 'd/x "y"' })
  expect(page('limit=2&before_id=c')).toEqual({ ids: ['a', 'b'], has_more: false, first_id: 'a', last_id: 'b' })
  expect(JSON.parse(writeModelList([]))).toEqual({ data: [], has_more: false, first_id: null, last_id: null })
})

test('walking the pages meets every model once', () => {
  const many = Array.from({ length: 57 }, (_, index) => model(`m${index}`))
  const met: string[] = []
  for (let query = ''; ; query = `after_id=${met.at(-1)}`) {
    const answer = JSON.parse(writeModelList(many, readModelPage(new URLSearchParams(query))))
    met.push(...answer.data.map((row: { id: string }) => row.id))
    if (!answer.has_more) break
  }
  expect(met).toEqual(many.map(({ id }) => id))
})

test('pages that cannot be', () => {
  for (const limit of ['0', '-1', '1001', '1.5', 'x', '', '1e2', '99999999999']) {
    expect(() => page(`limit=${limit}`)).toThrow(expect.objectContaining({ status: 400, param: 'limit' }))
  }
  expect(() => page('after_id=nope')).toThrow(expect.objectContaining({ status: 400, param: 'after_id' }))
  expect(() => page('before_id=nope')).toThrow(expect.objectContaining({ status: 400, param: 'before_id' }))
  expect(() => page('before_id=a&after_id=b')).toThrow(expect.objectContaining({ status: 400, param: 'before_id' }))
})
