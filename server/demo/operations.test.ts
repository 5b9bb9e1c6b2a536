import { describe, expect, test } from 'bun:test'
import { moderate } from './moderation.ts'
import { rerank } from './rerank.ts'

describe('rerank', () => {
  const documents = ['Paris is in France', { text: 'the weather in Rome' }, 'nothing']
  const answer = (more: object = {}) => {
    const told = rerank({ model: 'parley-demo-rerank', query: 'weather in Rome', documents, ...more })
    if (!('answer' in told)) throw new Error('no answer')
    return told.answer
  }

  test('ranks by the words in common', () => {
    expect(answer().results).toEqual([
      { index: 1, relevance_score: 1 },
      { index: 0, relevance_score: 0.3333 },
      { index: 2, relevance_score: 0 },
    ])
    expect(answer({ top_n: 1, return_documents: true }).results).toEqual([
      { index: 1, relevance_score: 1, document: { text: 'the weather in Rome' } },
    ])
  })

  test.each([
    [{ query: 5 }, 'query'],
    [{ documents: [] }, 'documents'],
    [{ documents: [{ title: 'x' }] }, 'documents'],
  ])('refuses %p', (more, param) => {
    expect(rerank({ query: 'q', documents, ...more })).toMatchObject({ refusal: { status: 400, param } })
  })
})

describe('moderation', () => {
  const results = (input: unknown) =>
    (moderate({ input }) as { answer: { results: { flagged: boolean; categories: object }[] } }).answer.results

  test('finds its few words, one verdict for each text and one for all parts', () => {
    expect(results(['hello', 'I will kill you']).map(({ flagged }) => flagged)).toEqual([false, true])
    expect(results('I will kill you')[0]?.categories).toMatchObject({ violence: true, hate: false })
    const picture = { type: 'image_url', image_url: { url: 'data:,' } }
    expect(results([picture, { type: 'text', text: 'steal' }]).map(({ flagged }) => flagged)).toEqual([true])
  })

  test.each([[undefined], [5], [[]], [[{ type: 'sound' }]]])('refuses %p', (input) => {
    expect(moderate({ input })).toMatchObject({ refusal: { status: 400, param: 'input' } })
  })
})
