import { describe, expect, test } from 'bun:test'
import { onlyText } from '#canonical/non-text-content'
import { noUsage, type Usage } from '#canonical/usage'
import { isPlausible, plausibleConversation, plausibleOperation, plausiblePart, type UsageContext } from './plausibility.ts'

const asked: UsageContext = { inputBytes: 1000, addedBytes: 0, n: 1, maxOutput: 100, searchAsked: false }

interface Figures {
  fresh?: number
  cacheRead?: number
  out?: number
  reasoning?: number
  searches?: number
  seconds?: number
}

function told({ fresh = 0, cacheRead = 0, out = 0, reasoning = 0, searches = 0, seconds = 0 }: Figures): Usage {
  const usage = noUsage()
  usage.in = { ...usage.in, fresh, cacheRead }
  usage.out = { ...usage.out, total: out, reasoning }
  usage.units = { ...usage.units, searches, seconds }
  return { ...usage, provenance: 'provider' }
}

const believed = (figures: Figures, more: Partial<UsageContext> = {}) =>
  isPlausible(told(figures), plausibleConversation({ ...asked, ...more }))

describe('of a conversation', () => {
  test('figures that an honest upstream may report are believed', () => {
    expect(believed({ fresh: 300, out: 100 })).toBe(true)
    // A limit that is counted in another way, or not kept very well.
    expect(believed({ fresh: 300, out: 10_000 })).toBe(true)
    // A prompt put before it.
    expect(believed({ fresh: 30_000, out: 100 })).toBe(true)
    // Every byte a token.
    expect(believed({ fresh: 1000 * 1000, out: 1 }, { inputBytes: 1000 * 1000 })).toBe(true)
    expect(believed({ fresh: 50_000, out: 1 }, { addedBytes: 50_000 })).toBe(true)
    // Reasoning beside the limit.
    expect(believed({ fresh: 300, out: 120_100, reasoning: 120_000 })).toBe(true)
    expect(believed({ fresh: 300, out: 500_000 }, { maxOutput: undefined })).toBe(true)
    expect(believed({ fresh: 300, out: 12_000 }, { n: 3, maxOutput: 500 })).toBe(true)
  })

  test('what cannot be is not', () => {
    expect(believed({ fresh: 300, out: 800_000_000 })).toBe(false)
    expect(believed({ fresh: 300, out: 20_000 })).toBe(false)
    expect(believed({ fresh: 300, out: 800_000_000, reasoning: 800_000_000 })).toBe(false)
    expect(believed({ fresh: 40_000, out: 1 })).toBe(false)
    expect(believed({ cacheRead: 40_000, out: 1 })).toBe(false)
    expect(believed({ fresh: 300, out: 600_000 }, { maxOutput: undefined })).toBe(false)
    expect(believed({ fresh: 300, out: 600_000 }, { maxOutput: undefined, modelMaxOutput: 200_000 })).toBe(true)
    expect(believed({ fresh: 300, out: 1, searches: 1000 })).toBe(false)
  })

  test('pictures add to the input what the highest-counting vendor would report', () => {
    const nonText = { ...onlyText, images: { pieces: 1, bytes: 25, elsewhere: 1 } }
    expect(believed({ fresh: 48_169, out: 1 }, { nonText })).toBe(true)
    expect(believed({ fresh: 148_169, out: 1 }, { nonText })).toBe(false)
  })

  test('where more goes in than is seen, the context bounds it, read again for each tool', () => {
    const file = { ...onlyText, files: { pieces: 1, bytes: 6, elsewhere: 1 } }
    const ways: Partial<UsageContext>[] = [{ searchAsked: true }, { nonText: { ...onlyText, unseen: true } }, { nonText: file }]
    for (const more of ways) {
      expect(believed({ fresh: 1_900_000, out: 1 }, { ...more, context: 200_000 })).toBe(true)
      expect(believed({ fresh: 2_100_000, out: 1 }, { ...more, context: 200_000 })).toBe(false)
      expect(believed({ fresh: 19_000_000, out: 1 }, more)).toBe(true)
      expect(believed({ fresh: 21_000_000, out: 1 }, more)).toBe(false)
    }
    // Each round has an answer of its own.
    expect(believed({ fresh: 1, out: 60_000 }, { searchAsked: true })).toBe(true)
    expect(believed({ fresh: 1, out: 1, searches: 300 }, { searchAsked: true })).toBe(true)
  })
})

describe('of an operation', () => {
  const most = told({ fresh: 8, out: 20, seconds: 4, searches: 1 })
  const possible = plausibleOperation(most, false)

  test('what may be is believed', () => {
    expect(isPlausible(told({ fresh: 10_000, out: 10_000, seconds: 60, searches: 10 }), possible)).toBe(true)
    expect(isPlausible(told({ fresh: 1_000_000 }), plausibleOperation(most, true))).toBe(true)
  })

  test('impossible figures are replaced by the most that was held; the others stay as reported', () => {
    const lies = told({ fresh: 900_000_000, cacheRead: 7, out: 5, seconds: 600_000, searches: 2 })
    expect(isPlausible(lies, possible)).toBe(false)
    expect(plausiblePart(lies, possible, most)).toMatchObject({
      in: { fresh: 8, cacheRead: 0 },
      out: { total: 5 },
      units: { requests: 1, seconds: 4, searches: 2 },
      provenance: 'estimated',
    })
  })
})
