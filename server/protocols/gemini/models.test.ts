import { expect, test } from 'bun:test'
import { writeModel, writeModelList } from './models.ts'

const models = Array.from({ length: 120 }, (_, index) => ({ id: `m${index}` }))
const list = (paging = {}, of: { id: string }[] = models) =>
  JSON.parse(writeModelList(of, paging)) as { models: { name: string }[]; nextPageToken: string | null }

test('a row has the prefix of this dialect and its operations', () => {
  expect(JSON.parse(writeModel({ id: 'a/b', operations: ['generate', 'embed', 'image'], contextTokens: 10, maxOutputTokens: 5 }))).toEqual({
    name: 'models/a/b',
    version: '1',
    displayName: 'a/b',
    description: '',
    inputTokenLimit: 10,
    outputTokenLimit: 5,
    supportedGenerationMethods: ['generateContent', 'countTokens', 'embedContent'],
  })
})

test('nextPageToken is always there; an empty one would make Google’s SDK begin again', () => {
  expect(list({}, [])).toEqual({ models: [], nextPageToken: null })
  expect(list({}, [{ id: 'a' }])).toMatchObject({ models: [{ name: 'models/a' }], nextPageToken: null })
})

test('pages give every model once', () => {
  for (const pageSize of ['1', '7', '50', '60', '120', '5000', '0', '', undefined]) {
    const seen: string[] = []
    let pageToken: string | undefined
    for (let pages = 0; pages < 200; pages++) {
      const page = list({ pageSize, pageToken })
      seen.push(...page.models.map(({ name }) => name))
      if (page.nextPageToken === null) break
      pageToken = page.nextPageToken
    }
    expect({ pageSize, seen }).toEqual({ pageSize, seen: models.map(({ id }) => `models/${id}`) })
  }
  expect(list().models).toHaveLength(50)
  expect(list({ pageToken: '' }).models[0]?.name).toBe('models/m0')
})

test('a page that cannot be is refused', () => {
  for (const pageSize of ['-1', 'x', '1.5', '1e3', '99999999999']) {
    expect(() => list({ pageSize })).toThrow(expect.objectContaining({ code: 'invalid_value', param: 'pageSize' }))
  }
  expect(() => list({ pageToken: 'bm8' })).toThrow(expect.objectContaining({ code: 'invalid_value', param: 'pageToken' }))
})
