import { expect, test } from 'bun:test'
import { writeModel, writeModelList } from './models.ts'

test('one model and the list of them', () => {
  const model = { id: 'org/model "x"', created: 1700000000, ownedBy: 'parley' }
  const row = { id: 'org/model "x"', object: 'model', created: 1700000000, owned_by: 'parley' }
  expect(JSON.parse(writeModel(model))).toEqual(row)
  expect(JSON.parse(writeModelList([model]))).toEqual({ object: 'list', data: [row] })
  expect(JSON.parse(writeModelList([]))).toEqual({ object: 'list', data: [] })
})
