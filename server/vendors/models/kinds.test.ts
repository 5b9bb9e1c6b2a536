import { expect, test } from 'bun:test'
import { kindFacts } from './kinds.ts'

test.each([
  ['bge-reranker-v2-m3', 'rerank'],
  ['BAAI/bge-m3', 'embed'],
  ['gte-multilingual-reranker-base', 'rerank'],
  ['jina-reranker-v3', 'rerank'],
  ['rerank-v3.5', 'rerank'],
  ['omni-moderation-latest', 'moderate'],
  ['text-embedding-3-small', 'embed'],
  ['gpt-5', 'generate'],
])('%s is for %s', (model, serves) => expect(kindFacts(model)).toEqual({ serves }))

test('a name that reveals nothing is not reported', () => expect(kindFacts('llama-guard')).toEqual({}))
