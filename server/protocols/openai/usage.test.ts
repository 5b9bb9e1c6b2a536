import { describe, expect, test } from 'bun:test'
import { nothingDelivered } from '#canonical/delivered'
import { seeded } from '#testing/seeded'
import { readUsage } from './usage.ts'

const none = nothingDelivered()
const read = (raw: unknown) => readUsage(raw, none)?.usage

test('OpenAI’s arithmetic: kinds never overlap', () => {
  const raw = {
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10, audio_tokens: 5, image_tokens: 3, text_tokens: 92 },
    completion_tokens_details: { reasoning_tokens: 30, audio_tokens: 4, text_tokens: 16, rejected_prediction_tokens: 2 },
  }
  expect(read(raw)).toMatchObject({
    in: { fresh: 22, cacheRead: 60, cacheWrite: { '5m': 0, '1h': 0, other: 10 }, audio: 5, image: 3 },
    out: { total: 50, reasoning: 30, audio: 4, image: 0 },
    provenance: 'provider',
  })
})

test('reasoning that is counted beside the completion', () => {
  const raw = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 315, completion_tokens_details: { reasoning_tokens: 300 } }
  expect(read(raw)?.out).toMatchObject({ total: 305, reasoning: 300 })
})

describe('figures that are not believed', () => {
  const odd = [-1, -0.5, '5', '', null, true, [], {}, Number.NaN, 1.5, 1e10, 1e18, 1e308, Number.POSITIVE_INFINITY]

  test('as a prompt or a completion', () => {
    for (const value of odd.filter((each) => each !== null)) {
      expect(read({ prompt_tokens: value, completion_tokens: 5 })).toBeUndefined()
      expect(read({ prompt_tokens: 5, completion_tokens: value })).toBeUndefined()
    }
    // Left-out fields are not figures.
    for (const value of [null, undefined, 0]) {
      expect(read({ prompt_tokens: value, completion_tokens: 5 })).toMatchObject({ in: { fresh: 0 }, out: { total: 5 } })
      expect(read({ prompt_tokens: 5, completion_tokens: value })).toMatchObject({ in: { fresh: 5 }, out: { total: 0 } })
    }
    for (const value of [null, undefined, 'x', [], 5, {}, { prompt_tokens: 0, completion_tokens: 0 }]) expect(read(value)).toBeUndefined()
  })

  test('as a part: it counts as nothing', () => {
    for (const value of odd) {
      const usage = read({ prompt_tokens: 5, completion_tokens: 5, prompt_tokens_details: { cached_tokens: value } })
      expect(usage?.in).toMatchObject({ fresh: 5, cacheRead: 0 })
    }
  })

  test('parts that exceed the whole: no kind is negative and the sum is the prompt', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = seeded(seed)
      const any = () => random.pick([0, 1, 7, 50, 99, 1000, -5, '9', null])
      const raw = {
        prompt_tokens: 1 + random.below(100),
        completion_tokens: random.below(100),
        prompt_tokens_details: { cached_tokens: any(), cache_write_tokens: any(), audio_tokens: any(), image_tokens: any() },
        completion_tokens_details: { reasoning_tokens: any(), audio_tokens: any(), image_tokens: any() },
      }
      const usage = read(raw)
      if (!usage) throw new Error(`seed ${seed}`)
      const { fresh, cacheRead, cacheWrite, audio, image } = usage.in
      const kinds = [fresh, cacheRead, cacheWrite.other, audio, image]
      expect({ seed, sum: kinds.reduce((a, b) => a + b) }).toEqual({ seed, sum: raw.prompt_tokens })
      expect({ seed, least: Math.min(0, ...kinds) }).toEqual({ seed, least: 0 })
      expect(usage.out.reasoning + usage.out.audio + usage.out.image).toBeLessThanOrEqual(usage.out.total)
    }
  })
})

test('an upstream’s own object is kept, but not one of any size', () => {
  const raw = { prompt_tokens: 1, completion_tokens: 1 }
  expect(read(raw)?.raw).toEqual(raw)
  expect(read({ ...raw, note: 'x'.repeat(5000) })?.raw).toBeNull()
  const deep = JSON.parse(`{"prompt_tokens":1,"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)
  expect(read(deep)).toMatchObject({ raw: null, in: { fresh: 1 } })
})
