/**
 * Operations of vendors with formats of their own. The answers have the shape shown in their references:
 * https://docs.voyageai.com/docs/embeddings, https://docs.voyageai.com/docs/reranker and
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api. Replicate's is the one of github vercel/ai
 * packages/replicate/src/replicate-image-model.test.ts.
 */
import { describe, expect, test } from 'bun:test'
import type { EmbeddingAnswer, EmbeddingQuestion } from '#canonical/operation/embedding'
import { embeddingCodec as geminiEmbeddings } from './gemini/embeddings/codec.ts'
import { predictEmbeddings } from './gemini/embeddings/predict.ts'
import { embeddingCodec as openaiEmbeddings } from './openai/embeddings/codec.ts'
import { voyageEmbeddings } from './openai/embeddings/voyage.ts'
import { imagesCodec } from './openai/images/codec.ts'
import { replicateImages } from './openai/images/replicate.ts'
import { jinaRerank } from './rerank/jina.ts'
import { voyageRerank } from './rerank/voyage.ts'

const target = (model: string) => ({ model, capabilities: {}, stream: false })
const bodiesOf = (written: { requests: { body: unknown }[] }) => written.requests.map(({ body }) => body)

describe('Voyage', () => {
  const ask = (more: object) => openaiEmbeddings.readQuestion(JSON.stringify({ model: 'm', input: ['a', 'b'], ...more }))

  test('embeddings: options under its names, and nothing that it refuses', () => {
    const { requests, losses } = voyageEmbeddings.writeQuestion(
      ask({ dimensions: 256, encoding_format: 'base64', user: 'u', input_type: 'query' }),
      target('voyage-3.5'),
    )
    expect(bodiesOf({ requests })).toEqual([{ model: 'voyage-3.5', input: ['a', 'b'], output_dimension: 256, input_type: 'query' }])
    expect(losses.map(({ field }) => field)).toEqual(['user'])
    expect(() => voyageEmbeddings.writeQuestion(ask({ input: [[1, 2]] }), target('m'))).toThrow(/not tokens/)
  })

  test('embeddings: the answer, with its usage', () => {
    const body = {
      object: 'list',
      data: [
        { object: 'embedding', embedding: [0.1, 0.2], index: 0 },
        { object: 'embedding', embedding: [0.3, 0.4], index: 1 },
      ],
      model: 'voyage-3.5',
      usage: { total_tokens: 10 },
    }
    const { answer, usage } = voyageEmbeddings.readAnswer([JSON.stringify(body)], ask({}))
    expect((answer as EmbeddingAnswer).vectors).toEqual([
      [0.1, 0.2],
      [0.3, 0.4],
    ])
    expect(usage).toMatchObject({ in: { fresh: 10 }, provenance: 'provider' })
  })

  test('rerank: `top_k` and `data`', () => {
    const question = jinaRerank.readQuestion(
      JSON.stringify({ model: 'm', query: 'q', documents: ['a', { text: 'b' }], top_n: 5, truncation: false, max_chunks_per_doc: 3 }),
    )
    const { requests, losses } = voyageRerank.writeQuestion(question, target('rerank-2.5'))
    expect(bodiesOf({ requests })).toEqual([{ model: 'rerank-2.5', query: 'q', documents: ['a', 'b'], top_k: 2, truncation: false }])
    expect(losses.map(({ field }) => field)).toEqual(['max_chunks_per_doc'])
    const body = {
      object: 'list',
      data: [
        { relevance_score: 0.4, index: 0 },
        { relevance_score: 0.9, index: 1 },
      ],
      model: 'rerank-2.5',
      usage: { total_tokens: 26 },
    }
    const { answer, usage } = voyageRerank.readAnswer([JSON.stringify(body)], question)
    expect(answer.results).toEqual([
      { index: 1, score: 0.9 },
      { index: 0, score: 0.4 },
    ])
    expect(usage).toMatchObject({ in: { fresh: 26 }, provenance: 'provider' })
    expect(() => voyageRerank.readAnswer(['{"detail":"no"}'], question)).toThrow()
  })
})

describe('Vertex', () => {
  const gemini = (requests: object[]): EmbeddingQuestion =>
    geminiEmbeddings.readQuestion(JSON.stringify({ requests }), 'text-embedding-005:batchEmbedContents')
  const content = (text: string) => ({ content: { parts: [{ text }] } })

  test('embeddings: an instance for each text, one size for a request', () => {
    const question = gemini([
      { ...content('a'), taskType: 'RETRIEVAL_DOCUMENT', title: 'T', outputDimensionality: 256 },
      { ...content('b'), outputDimensionality: 256 },
      content('c'),
    ])
    const written = predictEmbeddings.writeQuestion(question, target('text-embedding-005'))
    expect(bodiesOf(written)).toEqual([
      {
        instances: [{ content: 'a', task_type: 'RETRIEVAL_DOCUMENT', title: 'T' }, { content: 'b' }],
        parameters: { outputDimensionality: 256 },
      },
      { instances: [{ content: 'c' }] },
    ])
    expect(written.losses).toEqual([])
    expect(bodiesOf(predictEmbeddings.writeQuestion(gemini([content('a'), content('b')]), target('gemini-embedding-001')))).toHaveLength(2)
  })

  test('embeddings: the answers to all requests, with what they counted', () => {
    const body = (value: number, tokens: number) =>
      JSON.stringify({ predictions: [{ embeddings: { values: [value], statistics: { truncated: false, token_count: tokens } } }] })
    const question = gemini([content('a'), content('b')])
    const { answer, usage } = predictEmbeddings.readAnswer([body(0.5, 3), body(0.25, 4)], question)
    expect(answer.vectors).toEqual([[0.5], [0.25]])
    expect(usage).toMatchObject({ in: { fresh: 7 }, provenance: 'provider' })
    expect(() => predictEmbeddings.readAnswer(['{"predictions":[]}'], question)).toThrow()
  })
})

describe('Replicate', () => {
  const prompt = 'The Loch Ness monster getting a manicure'
  const ask = (more: object) => imagesCodec.readQuestion(JSON.stringify({ model: 'm', prompt, ...more }))
  const prediction = (more: object) =>
    JSON.stringify({
      id: 's7x1e3dcmhrmc0cm8rbatcneec',
      model: 'black-forest-labs/flux-schnell',
      version: 'dp-4d0bcc010b3049749a251855f12800be',
      input: { num_outputs: 1, prompt: 'The Loch Ness Monster getting a manicure' },
      logs: '',
      output: ['https://replicate.delivery/xezq/abc/out-0.webp'],
      data_removed: false,
      error: null,
      status: 'processing',
      created_at: '2025-01-08T13:24:38.692Z',
      urls: { get: 'https://api.replicate.com/v1/predictions/s7x1e3dcmhrmc0cm8rbatcneec' },
      ...more,
    })

  test('a prediction of an official model, or of a version', () => {
    const asked = ask({ n: 2, size: '1024x768', quality: 'high', response_format: 'url' })
    const { requests, losses } = replicateImages.writeQuestion(asked, target('black-forest-labs/flux-schnell'))
    const headers = { prefer: 'wait=60', 'cancel-after': '60s' }
    expect(requests).toEqual([{ body: { input: { prompt, num_outputs: 2, size: '1024x768' } }, headers }])
    expect(losses.map(({ field, meaning }) => [field, meaning])).toEqual([['quality', true]])
    const versioned = replicateImages.writeQuestion(ask({}), target('bytedance/sdxl-lightning-4step:5599ed'))
    expect(bodiesOf(versioned)).toEqual([{ version: '5599ed', input: { prompt } }])
    expect(versioned.losses.map(({ field }) => field)).toEqual(['response_format'])
    expect(() => replicateImages.writeQuestion({ ...ask({}), edits: true }, target('m'))).toThrow(/new pictures only/)
    expect(() => replicateImages.writeQuestion(ask({}), { ...target('m'), stream: true })).toThrow(/does not stream/)
  })

  test('its pictures stand at addresses, in a list or alone', () => {
    const url = 'https://replicate.delivery/xezq/abc/out-0.webp'
    for (const more of [{}, { output: url, status: 'succeeded', metrics: { predict_time: 1.2 } }]) {
      const { answer, usage, losses } = replicateImages.readAnswer([prediction(more)], ask({}))
      const written = imagesCodec.writeAnswer(answer, ask({}), { now: () => 0, id: (prefix) => prefix })
      expect(JSON.parse(written.body)).toMatchObject({ data: [{ url }] })
      expect([usage.units.images, losses]).toEqual([1, []])
    }
  })

  test.each([
    ['a filter', { status: 'failed', output: null, error: 'NSFW content detected. Try a different prompt.' }, 'upstream_rejected'],
    ['a fault', { status: 'failed', output: null, error: 'CUDA out of memory' }, 'upstream_error'],
    ['too long', { status: 'canceled', output: null }, 'upstream_timeout'],
    ['no address', { status: 'succeeded', output: { text: 'x' } }, 'upstream_error'],
  ])('%s is an error', (_name, more, code) => {
    expect(() => replicateImages.readAnswer([prediction(more)], ask({}))).toThrow(expect.objectContaining({ code }))
  })
})
