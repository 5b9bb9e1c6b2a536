/** What is pure of kept bodies: who is kept, what is blanked, and a record as bytes. */
import { describe, expect, test } from 'bun:test'
import { keepRule, keptFor } from './keep-rule.ts'
import { decodeRecord, encodeRecord } from './record.ts'
import { redacted } from './redact.ts'
import { fieldPath } from './redact-fields.ts'
import { safeAddress, safeHeaders, safePath } from './safe-head.ts'

describe('who is kept', () => {
  test('a key, its group or the house opts in; the largest share counts, and failures besides', () => {
    expect(keepRule(false, null, undefined)).toEqual({ share: 0, errors: false })
    expect(keepRule(false, true, null)).toEqual({ share: 1, errors: false })
    expect(keepRule(0.1, 'errors', 0.5)).toEqual({ share: 0.5, errors: true })
  })
  test('a share is drawn', () => {
    expect(keptFor({ share: 0.25, errors: false }, 0.24)).toBe('always')
    expect(keptFor({ share: 0.25, errors: false }, 0.25)).toBeUndefined()
    expect(keptFor({ share: 0.25, errors: true }, 0.25)).toBe('failed')
    expect(keptFor({ share: 1, errors: false }, 0.999999)).toBe('always')
    expect(keptFor({ share: 0, errors: false }, 0)).toBeUndefined()
  })
})

describe('what is blanked', () => {
  const blank = (text: string, rules: { fields?: string[]; numbers?: boolean } = {}) => {
    const changed = redacted(Buffer.from(text), { fields: (rules.fields ?? []).map(fieldPath), numbers: rules.numbers ?? false })
    if (changed) expect(changed.length).toBe(Buffer.byteLength(text))
    return changed && Buffer.from(changed).toString()
  }
  test('nothing without a reason', () => {
    for (const text of ['', 'ask-me-anything-about-it-please', 'task-0123456789abcdef', 'é'.repeat(40), '4242 4242 4242 4242'])
      expect(blank(text)).toBeUndefined()
  })
  test('credentials, wherever they stand, and the length stays', () => {
    expect(blank('{"content":"my key is sk-proj-abcdefghij0123456789 é"}')).toBe(`{"content":"my key is ${'*'.repeat(28)} é"}`)
    expect(blank('AKIAIOSFODNN7EXAMPLE')).toBe('*'.repeat(20))
    expect(blank(`x ghp_${'a'.repeat(36)} y`)).toBe(`x ${'*'.repeat(40)} y`)
    expect(blank('-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----')).toMatch(/^\*+$/)
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop'
    expect(blank(`"${token}"`)).toBe(`"${'*'.repeat(token.length)}"`)
  })
  test('numbers of cards and accounts only with right check digits, and only where that is wanted', () => {
    expect(blank('card 4242 4242 4242 4242.', { numbers: true })).toBe(`card ${'*'.repeat(19)}.`)
    expect(blank('card 4242 4242 4242 4243.', { numbers: true })).toBeUndefined()
    expect(blank('0000000000000000', { numbers: true })).toBeUndefined()
    expect(blank('DE89 3704 0044 0532 0130 00', { numbers: true })).toBe('*'.repeat(27))
    expect(blank('DE88 3704 0044 0532 0130 00', { numbers: true })).toBeUndefined()
  })
  test('fields by their paths, in JSON and in the events of a stream', () => {
    expect(blank('{"a":{"b":"secret","c":1}}', { fields: ['a.b'] })).toBe('{"a":{"b":"******","c":1}}')
    expect(blank('{"m":[{"t":"x y"},{"t":"zz","n":12}]}', { fields: ['m.*'] })).toBe('{"m":[{"t":"* *"},{"t":"**","n":00}]}')
    expect(blank('{"a":{"password":"p"},"password":"q"}', { fields: ['**.password'] })).toBe('{"a":{"password":"*"},"password":"*"}')
    expect(blank('data: {"u":"me"}\n\ndata: [DONE]\n\n', { fields: ['u'] })).toBe('data: {"u":"**"}\n\ndata: [DONE]\n\n')
    expect(blank('{"us\\u0065r":"\\"é\\""}', { fields: ['user'] })).toBe('{"us\\u0065r":"******"}')
    for (const text of ['{"a":', '[1,', '{"a" 1}', '"a"', ''])
      expect(blank(text, { fields: ['**'] })).toBe(text === '[1,' ? '[0,' : undefined)
  })
})

test('a head holds no credential', () => {
  expect(
    safeHeaders([
      ['Authorization', 'Bearer x'],
      ['Content-Type', 'text/plain'],
      ['x-odd', 'y'],
      ['cookie', 'z'],
    ]),
  ).toEqual([
    ['authorization', '***'],
    ['content-type', 'text/plain'],
    ['x-odd', '***'],
    ['cookie', '***'],
  ])
  expect(safeAddress('https://u:p@a.example/v1?key=k&alt=sse#f')).toBe('https://a.example/v1?key=***&alt=sse')
  expect(safePath(new URL('http://x/v1beta/models?key=sk-1'))).toBe('/v1beta/models?key=***')
})

test('a record comes back byte for byte; bytes that are cut anywhere are no record', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, n) => n)
  const head = { headers: [['a', 'b']] as const, atMs: 3 }
  const record = {
    ...{ requestId: 'req_1', at: 5, userId: 'u', keyId: null },
    parts: [
      { border: 'client-request' as const, ...head, bytes: 256, body: bytes },
      { border: 'upstream-answer' as const, ...head, call: 0, status: 200, bytes: 99, leftOut: true as const, body: new Uint8Array() },
      { border: 'client-answer' as const, ...head, bytes: 3, pieces: [1, 4, 3, 9], body: Buffer.from('end') },
    ],
  }
  const written = encodeRecord(record)
  const read = decodeRecord(written)
  expect(read && { ...read, parts: read.parts.map((part) => ({ ...part, body: Buffer.from(part.body).toString('hex') })) }).toEqual({
    ...record,
    parts: record.parts.map((part) => ({ ...part, body: Buffer.from(part.body).toString('hex') })),
  } as never)
  for (let length = 0; length < 4; length++) expect(decodeRecord(written.subarray(0, length))).toBeUndefined()
  expect(decodeRecord(written.subarray(0, written.length - 1))).toBeUndefined()
})
