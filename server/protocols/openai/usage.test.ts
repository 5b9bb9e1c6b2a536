import { describe, expect, test } from 'bun:test'
import { seeded } from '#testing/seeded'
import { later, readUsage, settleUsage } from './usage.ts'

const none = { text: 0, reasoning: 0 }
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
    for (const value of [...odd, undefined]) expect(read({ prompt_tokens: value, completion_tokens: 5 })).toBeUndefined()
    for (const value of odd.filter((each) => each !== null)) expect(read({ prompt_tokens: 5, completion_tokens: value })).toBeUndefined()
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
      const dice = seeded(seed)
      const any = () => dice.pick([0, 1, 7, 50, 99, 1000, -5, '9', null])
      const raw = {
        prompt_tokens: 1 + dice.below(100),
        completion_tokens: dice.below(100),
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

describe('what is charged', () => {
  const reading = (prompt: number, completion: number, text = 0) =>
    readUsage({ prompt_tokens: prompt, completion_tokens: completion }, { text, reasoning: 0 })

  test('nothing said: four bytes a token, rounded up', () => {
    const usage = settleUsage(undefined, { text: 9, reasoning: 4 }, 5)
    expect(usage).toMatchObject({ in: { fresh: 2 }, out: { total: 4, reasoning: 1 }, provenance: 'estimated', raw: null })
  })

  test('said in the middle: what came after is added', () => {
    expect(settleUsage(reading(10, 5, 20), { text: 28, reasoning: 0 }, 5)).toMatchObject({ out: { total: 7 }, provenance: 'partial' })
    expect(settleUsage(reading(10, 5, 20), { text: 20, reasoning: 0 }, 5)).toMatchObject({ out: { total: 5 }, provenance: 'provider' })
  })

  test('an output of zero for an answer that was delivered is not believed', () => {
    expect(settleUsage(reading(10, 0, 40), { text: 40, reasoning: 0 }, 8)).toMatchObject({
      in: { fresh: 2 },
      out: { total: 10 },
      provenance: 'estimated',
    })
  })

  test('a later reading replaces an earlier one, unless it claims less', () => {
    expect(later(reading(10, 5), reading(10, 8))?.usage.out.total).toBe(8)
    expect(later(reading(10, 5), reading(10, 4))?.usage.out.total).toBe(5)
    expect(later(reading(10, 5), reading(9, 8))?.usage.out.total).toBe(5)
    expect(later(reading(10, 5), undefined)?.usage.out.total).toBe(5)
  })

  test('an upstream’s own object is kept, but not one of any size', () => {
    const raw = { prompt_tokens: 1, completion_tokens: 1, note: 'x'.repeat(5000) }
    expect(settleUsage(readUsage(raw, none), none, 4).raw).toBeNull()
    const deep = JSON.parse(`{"prompt_tokens":1,"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)
    expect(settleUsage(readUsage(deep, none), none, 4)).toMatchObject({ raw: null, in: { fresh: 1 } })
  })
})
