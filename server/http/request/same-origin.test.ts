import { describe, expect, test } from 'bun:test'
import { sameOrigin } from './same-origin.ts'

const local = new URL('http://127.0.0.1:3000')
const secure = new URL('https://parley.example')

function passes(publicUrl: URL, headers: Record<string, string>): boolean {
  try {
    sameOrigin(new Request('http://127.0.0.1:3000/api/keys', { method: 'POST', headers: { host: publicUrl.host, ...headers } }), publicUrl)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'bad_origin', status: 403 })
    return false
  }
}

describe('sameOrigin', () => {
  test('own pages and programs pass', () => {
    expect(passes(local, {})).toBe(true)
    expect(passes(local, { origin: 'http://127.0.0.1:3000' })).toBe(true)
    expect(passes(local, { 'sec-fetch-site': 'same-origin' })).toBe(true)
    expect(passes(local, { 'sec-fetch-site': 'none' })).toBe(true)
    expect(passes(secure, { origin: 'https://parley.example' })).toBe(true)
    expect(passes(secure, { origin: 'https://parley.example', host: '10.0.0.5:3000' })).toBe(true)
  })
  test('another name of this machine passes by its own origin, with or without a TLS proxy in between', () => {
    expect(passes(local, { host: 'box.lan:8080', origin: 'http://box.lan:8080' })).toBe(true)
    expect(passes(local, { host: 'box.lan', origin: 'https://box.lan' })).toBe(true)
    expect(passes(local, { host: 'box.lan:80', origin: 'http://box.lan' })).toBe(true)
    expect(passes(secure, { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' })).toBe(true)
  })
  test.each([
    'null',
    'http://evil.example',
    'https://evil.example',
    'http://127.0.0.1:3001',
    'http://127.0.0.1',
    'https://127.0.0.1:3000',
    'http://127.0.0.1:3000.evil.example',
    'http://127.0.0.1:3000@evil.example',
    'http://127.0.0.1:3000/',
    'http://127.0.0.1:3000, http://evil.example',
    'http://localhost:3000',
    'HTTP://127.0.0.1:3000',
    'file://',
    'chrome-extension://127.0.0.1:3000',
  ])('the origin %s does not', (origin) => {
    expect(passes(local, { origin })).toBe(false)
    expect(passes(local, { origin, 'sec-fetch-site': 'same-origin' })).toBe(false)
  })
  test.each(['cross-site', 'same-site', 'nonsense', 'same-origin, cross-site'])('nor a fetch from %s', (site) => {
    expect(passes(local, { 'sec-fetch-site': site })).toBe(false)
  })
  test('by the public name only the public scheme counts', () => {
    expect(passes(secure, { origin: 'http://parley.example' })).toBe(false)
    expect(passes(secure, { origin: 'https://parley.example:8443' })).toBe(false)
    expect(passes(secure, { origin: 'https://evil.parley.example' })).toBe(false)
  })
  test('a Host that is none allows nothing but the public URL', () => {
    expect(passes(local, { host: 'a b', origin: 'http://a b' })).toBe(false)
    expect(passes(local, { host: 'a b', origin: 'http://127.0.0.1:3000' })).toBe(true)
  })
})
