import { describe, expect, test } from 'bun:test'
import { embed } from './embed.ts'

function vectors(body: object): number[][] {
  const told = embed({ model: 'parley-demo-embed', ...body })
  if ('refusal' in told) throw new Error(told.refusal.message)
  return (told.answer.data as { embedding: number[] }[]).map(({ embedding }) => embedding)
}
const dot = (a: number[] = [], b: number[] = []) => a.reduce((sum, number, index) => sum + number * (b[index] ?? 0), 0)

describe('vectors of the demo', () => {
  test('have length one, and the same text has the same one', () => {
    for (const input of ['a', 'The quick brown fox.', '你好，世界', '!!!', '🦜', [1, 2, 3]]) {
      const [vector] = vectors({ input })
      expect(vector).toHaveLength(256)
      expect(dot(vector, vector)).toBeCloseTo(1, 5)
      expect(vectors({ input })).toEqual(vectors({ input }))
    }
  })

  test('lie nearer for texts with words in common', () => {
    const [cat, kitten, stock] = vectors({ input: ['a cat sleeps on the mat', 'the cat on the mat', 'share prices fell sharply'] })
    expect(dot(cat, kitten)).toBeGreaterThan(dot(cat, stock) + 0.3)
    const [greeting, other] = vectors({ input: ['你好世界', '你好朋友'] })
    expect(dot(greeting, other)).toBeGreaterThan(0.3)
  })

  test('have as many dimensions as asked for, also as base64', () => {
    for (const dimensions of [1, 7, 2048]) {
      const [numbers] = vectors({ input: 'word', dimensions })
      const told = embed({ input: 'word', dimensions, encoding_format: 'base64' })
      const text = 'answer' in told ? (told.answer.data as { embedding: string }[])[0]?.embedding : ''
      const bytes = Buffer.from(text ?? '', 'base64')
      expect(bytes.byteLength).toBe(dimensions * 4)
      expect(Array.from({ length: dimensions }, (_, index) => bytes.readFloatLE(index * 4))).toEqual(numbers ?? [])
    }
  })

  test.each([
    ['input', {}],
    ['input', { input: '' }],
    ['input', { input: [] }],
    ['input', { input: ['a', 1] }],
    ['dimensions', { input: 'a', dimensions: 0 }],
    ['dimensions', { input: 'a', dimensions: 4096 }],
    ['dimensions', { input: 'a', dimensions: '3' }],
  ])('%s is refused in %j', (param, body) => expect(embed(body)).toMatchObject({ refusal: { status: 400, param } }))
})
