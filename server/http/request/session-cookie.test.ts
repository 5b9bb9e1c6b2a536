import { describe, expect, test } from 'bun:test'
import { clearSessionCookie, cookieName, readSessionCookie, writeSessionCookie } from './session-cookie.ts'

const local = new URL('http://127.0.0.1:3000')
const secure = new URL('https://parley.example')
const token = 'a1'.repeat(32)
const read = (cookie: string, publicUrl = local) => readSessionCookie(new Request('http://127.0.0.1/', { headers: { cookie } }), publicUrl)

describe('the session cookie', () => {
  test('is bound to the host and to TLS where the public URL is https', () => {
    expect(cookieName(secure)).toBe('__Host-parley')
    expect(writeSessionCookie(secure, token)).toBe(`__Host-parley=${token}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure`)
    expect(clearSessionCookie(secure)).toBe('__Host-parley=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure')
  })
  test('is a plain name without Secure on plain http', () => {
    expect(writeSessionCookie(local, token)).toBe(`parley=${token}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax`)
  })
  test('is found among others, the first of two', () => {
    expect(read(`theme=dark; parley=${token}; lang=en`)).toBe(token)
    expect(read(`parley=${token};parley=${'b'.repeat(64)}`)).toBe(token)
  })
  test.each([
    '',
    'parley=',
    'parley',
    'parley=abc',
    `parley=${token}x`,
    `parley="${token}"`,
    `Parley=${token}`,
    `xparley=${token}`,
    `__Host-parley=${token}`,
    `parley=${'%61'.repeat(64)}`,
    '__proto__=x; constructor=y',
    `parley=${'x'.repeat(10_000)}`,
  ])('anything else is nobody: %s', (cookie) => {
    expect(read(cookie)).toBeUndefined()
  })
  test('the plain name means nothing where the public URL is https', () => {
    expect(read(`parley=${token}`, secure)).toBeUndefined()
    expect(read(`__Host-parley=${token}`, secure)).toBe(token)
  })
})
