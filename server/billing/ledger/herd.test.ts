/** Many requests at once: a reachable database refuses none that can be paid. */
import { describe, expect, test } from 'bun:test'
import { herd } from '#testing/books/herd'
import { engines } from '#testing/database/database'
import { isDeep } from '#testing/sample'

describe.if(engines.includes('postgres'))('a herd on PostgreSQL', () => {
  test('of cold keys with four budgets each, on two instances: all of them are served and charged', async () => {
    const size = isDeep ? { keys: 10_000, callers: 1_500 } : { keys: 700, callers: 700 }
    const { codes, spent, ...times } = await herd(size)
    console.log(JSON.stringify({ ...size, ...times }))
    expect(codes).toEqual({ ok: expect.any(Number) })
    // Five seconds and 50 ms are meant for a machine of its own: twenty times as much is for one that is not.
    expect(times.cold.p99).toBeLessThan(20 * 5_000)
    expect(times.warm.p99).toBeLessThan(20 * 50)
    expect(codes.ok).toBeGreaterThan(size.keys)
    expect(spent).toBe(BigInt(codes.ok ?? 0) * 1_000_000n)
  }, 300_000)

  test('of keys whose daily windows were opened ahead, as at midnight: a warm key goes on, before and after', async () => {
    const size = isDeep ? { keys: 20_000, callers: 1_500 } : { keys: 500, callers: 500 }
    const { codes, spent, opening, ...times } = await herd({ ...size, spans: ['day'], opened: true })
    console.log(JSON.stringify({ ...size, opening, ...times }))
    expect(codes).toEqual({ ok: expect.any(Number) })
    expect(spent).toBe(BigInt(codes.ok ?? 0) * 1_000_000n)
    expect(opening?.count).toBeGreaterThan(0)
    for (const warm of [times.warm, opening]) expect(warm?.p99).toBeLessThan(20 * 50)
  }, 300_000)
})
