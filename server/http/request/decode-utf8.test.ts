/** A body as text: with and without characters beyond ASCII, and what is no UTF-8. */
import { expect, test } from 'bun:test'
import { decodeUtf8 } from './read-body.ts'

const encoder = new TextEncoder()

test('reads what is a part of a larger buffer', () => {
  const whole = encoder.encode('xx{"a":"b"}yy')
  expect(decodeUtf8(whole.subarray(2, -2))).toBe('{"a":"b"}')
  expect(decodeUtf8(encoder.encode('{"a":"é中😀"}').subarray(0))).toBe('{"a":"é中😀"}')
})

test('leaves a byte order mark out, and refuses what is no UTF-8', () => {
  expect(decodeUtf8(encoder.encode('\uFEFF{}'))).toBe('{}')
  expect(() => decodeUtf8(new Uint8Array([0x7b, 0xff, 0x7d]))).toThrow('UTF-8')
  expect(() => decodeUtf8(new Uint8Array([0xc3]))).toThrow('UTF-8')
})
