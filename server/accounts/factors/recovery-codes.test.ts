import { expect, test } from 'bun:test'
import { systemRandom } from '#runtime/clock'
import { newRecoveryCodes, recoveryDigest } from './recovery-codes.ts'

test('ten codes of sixteen letters, all different', () => {
  const codes = newRecoveryCodes(systemRandom)
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^([0-9a-hj-km-np-tv-z]{4}-){3}[0-9a-hj-km-np-tv-z]{4}$/)
})

test('80 bits make sixteen letters, from the least to the greatest', () => {
  const codes = (hex: string) => newRecoveryCodes({ ...systemRandom, hex: () => hex })[0]
  expect(codes('00'.repeat(10))).toBe('0000-0000-0000-0000')
  expect(codes('ff'.repeat(10))).toBe('zzzz-zzzz-zzzz-zzzz')
})

test('what looks alike is the same code, and another user has another digest', () => {
  const digest = recoveryDigest('ann', '0123-abcd-efgh-1111')
  expect(recoveryDigest('ann', ' O1 23 ABCD efghIL1i ')).toBe(digest)
  expect(recoveryDigest('ann', '0123-abcd-efgh-1112')).not.toBe(digest)
  expect(recoveryDigest('eve', '0123-abcd-efgh-1111')).not.toBe(digest)
})
