/** Keys of records in their rows: who seals them, who opens them, and rows of earlier versions. */
import { expect, test } from 'bun:test'
import { sealer } from '#runtime/secrets'
import { openBodyKey, sealBodyKey, threadKeyOf } from './body-keys.ts'

const [master, other] = [sealer('1'.repeat(64)), sealer('2'.repeat(64))]
const key = 'ab'.repeat(32)

test('the thread’s key opens only what it sealed, and only the master key leads to it', () => {
  const threadKey = threadKeyOf(master)
  expect(threadKey).toMatch(/^[0-9a-f]{64}$/)
  expect([threadKey, '1'.repeat(64)]).not.toContain(threadKeyOf(other))
  expect(threadKey).not.toBe(master.derive('anything else'))
  const sealedKey = sealBodyKey(sealer(threadKey), 'r1', key)
  expect(sealedKey).not.toContain(key)
  expect(openBodyKey(master, { requestId: 'r1', sealedKey })).toBe(key)
  expect(() => openBodyKey(master, { requestId: 'r2', sealedKey })).toThrow('belongs to another row')
  expect(() => openBodyKey(other, { requestId: 'r1', sealedKey })).toThrow('another master key')
  expect(() => sealer(threadKey).open(master.seal('secret', 'row'), 'row')).toThrow('another master key')
})

test('rows of earlier versions, sealed with the master key, are opened', () => {
  const sealedKey = master.seal(key, 'body:r1')
  expect(openBodyKey(master, { requestId: 'r1', sealedKey })).toBe(key)
})
