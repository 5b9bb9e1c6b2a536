import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { equalSecrets, hashPassword, sealer, sha256Hex, verifyPassword } from './secrets.ts'

const masterKey = '0123456789abcdef'.repeat(4)

describe('digests', () => {
  test('SHA-256 of the FIPS 180 example', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
  test('equal is equal, and lengths may differ', () => {
    expect(equalSecrets('token', 'token')).toBe(true)
    expect(equalSecrets('token', 'tokem')).toBe(false)
    expect(equalSecrets('token', 'token-and-more')).toBe(false)
    expect(equalSecrets('', '')).toBe(true)
  })
})

describe('sealing', () => {
  const { seal, open } = sealer(masterKey)
  test('opens what it sealed, for every kind of text', () => {
    for (const text of ['', 'sk-secret', 'ключ 钥匙 🔑', 'x'.repeat(100_000)]) expect(open(seal(text, 'row-1'), 'row-1')).toBe(text)
  })
  test('never gives the same sealed text twice and never shows the text', () => {
    const all = new Set(Array.from({ length: 100 }, () => seal('sk-secret', 'row-1')))
    expect(all.size).toBe(100)
    for (const sealed of all) expect(sealed).not.toContain(Buffer.from('sk-secret').toString('base64').slice(0, 8))
  })
  test('opens what an earlier build sealed', () => {
    const kept = 'v1.3c5f6841.AAECAwQFBgcICQoL6mr1amjHQ2bpvKxhD6RN+xCtQeIhg8R7WUs+7A=='
    expect(open(kept, 'row-1')).toBe('known answer')
  })
  test('refuses another row, another key, and every changed character', () => {
    const sealed = seal('sk-secret', 'row-1')
    expect(() => open(sealed, 'row-2')).toThrow(GatewayError)
    expect(() => sealer('f'.repeat(64)).open(sealed, 'row-1')).toThrow('another master key')
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      // The last base64 digits have unused bits; only an identical byte sequence may open.
      const bytes = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64').toString('hex')
      if (/^v1\.[0-9a-f]{8}\./.test(changed) && bytes(changed) === bytes(sealed)) expect(open(changed, 'row-1')).toBe('sk-secret')
      else expect(() => open(changed, 'row-1')).toThrow(GatewayError)
    }
  })
  test('refuses truncated and foreign text', () => {
    const sealed = seal('sk-secret', 'row-1')
    for (const bad of ['', 'sk-plain', 'v1', 'v1..', 'v2.x.y', sealed.slice(0, -8), `${sealed}.x`]) {
      expect(() => open(bad, 'row-1')).toThrow('cannot be opened')
    }
  })
  test('refuses a master key that is none', () => {
    for (const bad of ['', 'abc', 'g'.repeat(64), '0'.repeat(63)]) expect(() => sealer(bad)).toThrow('64 hexadecimal')
  })
})

describe('passwords', () => {
  test('verify what was hashed and nothing else', async () => {
    const hash = await hashPassword('correct horse')
    expect(hash).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$')
    expect(await verifyPassword('correct horse', hash)).toBe(true)
    expect(await verifyPassword('correct horsf', hash)).toBe(false)
    expect(await verifyPassword('', hash)).toBe(false)
    expect(await verifyPassword('correct horse', 'not a hash')).toBe(false)
  })
  test('a crowd is served in turn and bounded', async () => {
    const crowd = await Promise.allSettled(Array.from({ length: 80 }, () => verifyPassword('x', 'not a hash')))
    const refused = crowd.filter((result) => result.status === 'rejected')
    expect(refused.length).toBe(80 - 4 - 64)
    expect((refused[0] as PromiseRejectedResult).reason).toMatchObject({ code: 'overloaded', retryAfter: 1 })
    expect(await verifyPassword('x', 'not a hash')).toBe(false)
  })
})
