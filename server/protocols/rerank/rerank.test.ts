import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { cohereRerank } from './cohere.ts'
import { jinaRerank } from './jina.ts'

const documents = ['Paris is in France.', { text: 'Rome is in Italy.', id: 7 }, 'Bern is in Switzerland.']
const question = { model: 'ranker', query: 'Where is Rome?', documents }
const ask = (more: Record<string, unknown> = {}) => JSON.stringify({ ...question, ...more })
const target = { model: 'upstream-ranker', capabilities: {}, stream: false }

function refusal(work: () => unknown): GatewayError {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

describe('the question', () => {
  test.each([
    ['not json', '{', 'invalid_json', undefined],
    ['a list', '[]', 'invalid_request', undefined],
    ['no model', JSON.stringify({ query: 'q', documents }), 'missing_field', 'model'],
    ['a model that is no name', ask({ model: 5 }), 'invalid_value', 'model'],
    ['no query', JSON.stringify({ model: 'm', documents }), 'missing_field', 'query'],
    ['an empty query', ask({ query: ' ' }), 'invalid_value', 'query'],
    ['a query that is no text', ask({ query: ['q'] }), 'invalid_value', 'query'],
    ['no documents', JSON.stringify({ model: 'm', query: 'q' }), 'missing_field', 'documents'],
    ['null documents', ask({ documents: null }), 'missing_field', 'documents'],
    ['empty documents', ask({ documents: [] }), 'invalid_value', 'documents'],
    ['documents in a text', ask({ documents: 'a' }), 'invalid_value', 'documents'],
    ['too many documents', ask({ documents: Array.from({ length: 10_001 }, () => 'a') }), 'invalid_value', 'documents'],
    ['a number among the documents', ask({ documents: ['a', 1] }), 'invalid_value', 'documents.1'],
    ['a document without text', ask({ documents: ['a', { title: 'b' }] }), 'invalid_value', 'documents.1.text'],
    ['top_n of nothing', ask({ top_n: 0 }), 'invalid_value', 'top_n'],
    ['half a top_n', ask({ top_n: 1.5 }), 'invalid_value', 'top_n'],
    ['return_documents as a word', ask({ return_documents: 'yes' }), 'invalid_value', 'return_documents'],
    ['max_tokens_per_doc as a word', ask({ max_tokens_per_doc: 'many' }), 'invalid_value', 'max_tokens_per_doc'],
    ['a negative priority', ask({ priority: -1 }), 'invalid_value', 'priority'],
  ])('%s is refused by the name of its field', (_name, body, code, param) => {
    for (const read of [jinaRerank.readHead, jinaRerank.readQuestion]) expect(refusal(() => read(body))).toMatchObject({ code, param })
  })

  test('a form is refused', () => {
    expect(refusal(() => jinaRerank.readHead({ parts: [], size: 0 })).code).toBe('unsupported_media_type')
  })

  test('null stands for absent, and unknown fields pass', () => {
    const head = jinaRerank.readHead(ask({ top_n: null, return_documents: null, max_tokens_per_doc: null, tomorrow: { x: 1 } }))
    expect(head.question.topN).toBeUndefined()
    expect(head.question.returnDocuments).toBeUndefined()
    expect(head.foreign).toBeUndefined()
  })

  test('what is held covers every pair of query and document, and long documents counted as several', () => {
    const long = 'word '.repeat(4000)
    const head = jinaRerank.readHead(ask({ documents: Array.from({ length: 120 }, () => long) }))
    // 20,000 bytes and the query, two to a token; 120 documents of 20 or 21 chunks each, a hundred to a search.
    expect(head.most.in.fresh).toBe((120 * (20_000 + 14)) / 2)
    expect(head.most.units.searches).toBe(Math.ceil((120 * 21) / 100))
  })
})

describe('to a server of the same style', () => {
  test('every byte stays but the model`s name and what the channel sets', () => {
    const body = '{ "query":"q", "documents" : ["a","b"], "model":"ranker", "truncation":true, "x":1.0 }'
    expect(jinaRerank.editRequest(body, {})).toBe(body)
    expect(jinaRerank.editRequest(body, { model: 'bge' })).toBe(body.replace('"ranker"', '"bge"'))
    expect(jinaRerank.editRequest(body, { set: { truncation: false }, remove: ['x'] })).toBe(
      '{ "query":"q", "documents" : ["a","b"], "model":"ranker", "truncation":false }',
    )
  })

  test('settings of Cohere`s are taken out and reported', () => {
    const body = ask({ top_n: 2, return_documents: true, max_tokens_per_doc: 100, priority: 5, truncation: false })
    expect(jinaRerank.readHead(body).foreign).toBe(true)
    const { requests, losses } = jinaRerank.writeQuestion(jinaRerank.readQuestion(body), target)
    expect(requests).toEqual([{ body: { ...question, model: 'upstream-ranker', top_n: 2, return_documents: true, truncation: false } }])
    expect(losses.map(({ field, what, meaning }) => [field, what, meaning])).toEqual([
      ['rerank.max_tokens_per_doc', 'dropped', true],
      ['rerank.priority', 'dropped', false],
    ])
  })
})

test('to Cohere: texts, its own settings, and a report of the others', () => {
  const body = ask({ top_n: 9, return_documents: true, max_tokens_per_doc: 100, overlap_tokens: 3, mine: 1, nothing: null })
  const { requests, losses } = cohereRerank.writeQuestion(jinaRerank.readQuestion(body), target)
  const texts = ['Paris is in France.', 'Rome is in Italy.', 'Bern is in Switzerland.']
  expect(requests).toEqual([
    { body: { model: 'upstream-ranker', query: question.query, documents: texts, top_n: 3, max_tokens_per_doc: 100 } },
  ])
  expect(losses.map(({ field, meaning }) => [field, meaning])).toEqual([
    ['rerank.documents', false],
    ['rerank.overlap_tokens', true],
    ['mine', true],
  ])
})

describe('the answer', () => {
  const ranked = (...scores: number[]) => scores.map((relevance_score, index) => ({ index, relevance_score }))
  const whole = (results: unknown, asked: Record<string, unknown> = {}, more: object = { usage: { total_tokens: 9 } }) =>
    jinaRerank.readWhole(JSON.stringify({ model: 'bge', ...more, results }), {}, jinaRerank.readHead(ask(asked)))
  const results = (body: string) => JSON.parse(body).results

  test('bytes stay unchanged if the upstream followed the request', () => {
    const body = `{ "results": [ {"index":1,"relevance_score":0.90,"document":{"text":"x"}}, {"index":0,"relevance_score":1e-2} ] , "model":"bge"}`
    expect(jinaRerank.readWhole(body, {}, jinaRerank.readHead(ask())).body).toBe(body)
    expect(jinaRerank.readWhole(body, { model: 'ranker' }, jinaRerank.readHead(ask({ top_n: 2 }))).body).toBe(
      body.replace('"bge"', '"ranker"'),
    )
  })

  test('it is sorted, cut, and given or relieved of its documents, whatever the upstream did', () => {
    expect(results(whole(ranked(0.1, 0.9, 0.5)).body).map(({ index }: { index: number }) => index)).toEqual([1, 2, 0])
    expect(results(whole(ranked(0.9, 0.5, 0.1), { top_n: 1 }).body)).toEqual([{ index: 0, relevance_score: 0.9 }])
    expect(results(whole(ranked(0.9, 0.5), { return_documents: true }).body)).toEqual([
      { index: 0, relevance_score: 0.9, document: { text: 'Paris is in France.' } },
      { index: 1, relevance_score: 0.5, document: { text: 'Rome is in Italy.', id: 7 } },
    ])
    const given = [{ index: 0, relevance_score: 0.9, document: { text: 'x' }, extra: 1 }]
    expect(results(whole(given, { return_documents: false }).body)).toEqual([{ index: 0, relevance_score: 0.9, extra: 1 }])
    const text = [{ index: 0, relevance_score: 0.9, document: 'x' }]
    expect(results(whole(text, { return_documents: false }).body)).toEqual([{ index: 0, relevance_score: 0.9 }])
    expect(results(whole(text, { return_documents: true }).body)[0].document).toEqual({ text: 'Paris is in France.' })
    expect(results(whole([{ index: 2, score: 0.4 }]).body)).toEqual([{ index: 2, relevance_score: 0.4 }])
  })

  test.each([
    ['no JSON', 'oops'],
    ['a page', '<html></html>'],
    ['an error with 200', '{"error":{"message":"x"}}'],
    ['results that are no list', '{"results":{}}'],
    ['no result at all', '{"results":[]}'],
    ['a place that was not asked about', '{"results":[{"index":3,"relevance_score":1}]}'],
    ['a place twice', '{"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1}]}'],
    ['a score that is no number', '{"results":[{"index":0,"relevance_score":"1"}]}'],
  ])('%s is an upstream error', (_name, body) => {
    expect(refusal(() => jinaRerank.readWhole(body, {}, jinaRerank.readHead(ask()))).code).toBe('upstream_error')
    expect(refusal(() => cohereRerank.readAnswer([body], jinaRerank.readQuestion(ask()))).code).toBe('upstream_error')
  })

  test('of Cohere becomes Jina`s, with documents from the request', () => {
    const body = JSON.stringify({
      id: 'x',
      results: [
        { index: 0, relevance_score: 0.2 },
        { index: 1, relevance_score: 0.98 },
      ],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    })
    const asked = jinaRerank.readQuestion(ask({ return_documents: true, top_n: 1 }))
    const { answer, usage } = cohereRerank.readAnswer([body], asked)
    const codecContext = { now: () => 0, id: (prefix: string) => prefix }
    expect(JSON.parse(jinaRerank.writeAnswer(answer, asked, codecContext).body)).toEqual({
      model: 'ranker',
      results: [{ index: 1, relevance_score: 0.98, document: { text: 'Rome is in Italy.', id: 7 } }],
      usage: { total_tokens: 0, prompt_tokens: 0 },
    })
    expect(usage).toMatchObject({ in: { fresh: 0 }, units: { searches: 1 }, provenance: 'provider' })
  })

  const byTokens = { tokens: true, seconds: false, characters: false }
  // Three pairs of 14 bytes of query with 19, 17 and 23 of document, four bytes to a token.
  const estimated = Math.ceil(33 / 4) + Math.ceil(31 / 4) + Math.ceil(37 / 4)

  test.each([
    ['Jina', { usage: { total_tokens: 120 } }, byTokens, 120, 1, 'provider'],
    [
      'Xinference and SiliconFlow',
      { meta: { tokens: { input_tokens: 44 }, billed_units: { search_units: 0 } } },
      byTokens,
      44,
      1,
      'provider',
    ],
    ['OpenRouter', { usage: { total_tokens: 12, search_units: 2 } }, byTokens, 12, 2, 'provider'],
    ['Cohere, priced by search', { meta: { billed_units: { search_units: 3 } } }, { ...byTokens, tokens: false }, 0, 3, 'provider'],
    ['Cohere, priced by tokens', { meta: { billed_units: { search_units: 3 } } }, byTokens, estimated, 3, 'partial'],
    ['nothing', {}, byTokens, estimated, 1, 'estimated'],
    ['nonsense', { usage: { total_tokens: -4 } }, byTokens, estimated, 1, 'estimated'],
  ] as const)('usage of %s', (_name, reported, priced, tokens, searches, provenance) => {
    const head = { ...jinaRerank.readHead(ask()), priced }
    const { usage } = jinaRerank.readWhole(JSON.stringify({ results: ranked(1), ...reported }), {}, head)
    expect(usage).toMatchObject({ in: { fresh: tokens }, out: { total: 0 }, units: { searches, requests: 1 }, provenance })
    expect(usage.in.fresh <= head.most.in.fresh || provenance === 'provider').toBe(true)
  })
})
