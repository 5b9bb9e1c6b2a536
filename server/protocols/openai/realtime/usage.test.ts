import { describe, expect, test } from 'bun:test'
import { readUsage } from './usage.ts'

const input = (usage: ReturnType<typeof readUsage>) => usage && { ...usage.in, cacheWrite: undefined }

describe('usage of a response', () => {
  test('by kind, the cached of each kind taken out of it', () => {
    const usage = readUsage({
      total_tokens: 169,
      input_tokens: 119,
      output_tokens: 50,
      input_token_details: {
        text_tokens: 80,
        audio_tokens: 34,
        image_tokens: 5,
        cached_tokens: 64,
        cached_tokens_details: { text_tokens: 50, audio_tokens: 14, image_tokens: 0 },
      },
      output_token_details: { text_tokens: 20, audio_tokens: 30 },
    })
    expect(usage).toMatchObject({
      in: { fresh: 30, cacheRead: 64, audio: 20, image: 5 },
      out: { total: 50, audio: 30 },
      units: { requests: 1 },
      provenance: 'provider',
    })
  })

  const cases: [name: string, raw: Record<string, unknown>, fresh: number, cacheRead: number, audio: number][] = [
    ['without details it is text', { input_tokens: 10, output_tokens: 1 }, 10, 0, 0],
    [
      'cached without kinds is text first',
      { input_tokens: 20, input_token_details: { text_tokens: 8, audio_tokens: 12, cached_tokens: 10 } },
      0,
      10,
      10,
    ],
    ['more cached than there is', { input_tokens: 5, input_token_details: { audio_tokens: 5, cached_tokens: 500 } }, 0, 5, 0],
    ['kinds that exceed the whole', { input_tokens: 5, input_token_details: { audio_tokens: 50, text_tokens: 50 } }, 0, 0, 5],
    ['kinds that are no numbers', { input_tokens: 5, input_token_details: { audio_tokens: '3', cached_tokens: -1 } }, 5, 0, 0],
  ]
  test.each(cases)('%s', (_, raw, fresh, cacheRead, audio) => {
    const usage = readUsage({ output_tokens: 1, ...raw })
    expect(input(usage)).toMatchObject({ fresh, cacheRead, audio })
  })

  test('what cannot be believed is no usage', () => {
    for (const raw of [
      null,
      undefined,
      'x',
      [],
      {},
      { input_tokens: 5 },
      { input_tokens: -5, output_tokens: 1 },
      { input_tokens: 1e12, output_tokens: 1 },
      { input_tokens: 1.5, output_tokens: 1 },
      { type: 'duration' },
      { type: 'duration', seconds: -1 },
      { type: 'duration', seconds: '3' },
    ]) {
      expect(readUsage(raw)).toBeUndefined()
    }
  })

  test('sound by its length is whole seconds, rounded up', () => {
    expect(readUsage({ type: 'duration', seconds: 2.01 })?.units.seconds).toBe(3)
  })
})
