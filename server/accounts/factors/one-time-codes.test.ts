import { describe, expect, test } from 'bun:test'
import { systemRandom } from '#runtime/clock'
import { appUri, newAppSecret, stepOfCode } from './one-time-codes.ts'

/** RFC 6238, appendix B: the secret `12345678901234567890`, SHA-1. The RFC prints eight digits; six are the last six of them. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const vectors = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const

describe('codes of authenticator apps', () => {
  test.each(vectors)('at %d seconds as in RFC 6238', async (seconds, digits) => {
    expect(await stepOfCode(secret, digits.slice(2), seconds * 1000)).toBe(Math.floor(seconds / 30))
  })

  test('a clock may be off by one step, and the step tells which code it was', async () => {
    const step = Math.floor(1_111_111_109 / 30)
    const at = (shift: number) => stepOfCode(secret, '081804', (step + shift) * 30_000)
    expect(await Promise.all([-2, -1, 0, 1, 2].map(at))).toEqual([undefined, step, step, step, undefined])
    // The last millisecond of the window, and the first after it.
    expect(await stepOfCode(secret, '081804', (step + 2) * 30_000 - 1)).toBe(step)
  })

  test('spaces and dashes mean nothing, and nothing but six digits is a code', async () => {
    expect(await stepOfCode(secret, '287 082', 59_000)).toBe(1)
    for (const text of ['', '28708', '2870820', 'abcdef', '94287082', '２８７０８２']) {
      expect(await stepOfCode(secret, text, 59_000)).toBeUndefined()
    }
  })

  test('a secret has 160 bits, and the address for the app names the house and the person', async () => {
    const fresh = await newAppSecret(systemRandom)
    expect(fresh).toMatch(/^[A-Z2-7]{32}$/)
    const uri = new URL(await appUri(fresh, 'Parley ai.example.com', 'ann b'))
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual(['otpauth:', 'totp', '/Parley ai.example.com:ann b'])
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({
      secret: fresh,
      issuer: 'Parley ai.example.com',
      period: '30',
      digits: '6',
    })
  })
})
