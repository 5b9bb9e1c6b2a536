import { expect, test } from 'bun:test'
import { checkSchema, checkTools, exampleSchema, exampleTools } from './json-fields.ts'

test('tools and schemas are checked where they are typed', () => {
  expect(checkTools(exampleTools)).toBeUndefined()
  expect(checkTools('[')).toBe('json')
  expect(checkTools('{}')).toBe('list')
  expect(checkTools('[{"type":"function"}]')).toBe('shape')
  expect(checkTools('[{"type":"function","function":{"name":"a b"}}]')).toBe('shape')
  expect(checkSchema(exampleSchema)).toBeUndefined()
  expect(checkSchema('[]')).toBe('object')
})
