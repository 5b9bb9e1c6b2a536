import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolder } from '#runtime/read-only-folder'
import { type ServeClient, serveClient } from './static.ts'

const page = '<!doctype html><script>theme()</script><script type="module" src="/assets/index-a1.js"></script>'
let folder: string
let serve: ServeClient

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-static-'))
  mkdirSync(join(folder, 'assets'))
  mkdirSync(join(folder, '.vite'))
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'mark.svg'), '<svg/>')
  writeFileSync(join(folder, 'assets/index-a1.js'), 'plain')
  writeFileSync(join(folder, 'assets/index-a1.js.br'), 'brotli')
  writeFileSync(join(folder, 'assets/index-a1.js.gz'), 'gzip')
  writeFileSync(join(folder, '.vite/manifest.json'), '{}')
  symlinkSync('/etc/hostname', join(folder, 'assets/outside'))
  serve = await serveClient(await openFolder(folder))
})
afterAll(() => rmSync(folder, { recursive: true }))

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const url = `http://localhost${path}`
  return serve(new Request(url, { method, headers }), new URL(url))
}
const html = { accept: 'text/html,application/xhtml+xml' }

describe('files', () => {
  test('hashed files are immutable and come compressed', async () => {
    const plain = await get('/assets/index-a1.js')
    expect(plain?.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(await plain?.text()).toBe('plain')
    const small = await get('/assets/index-a1.js', { 'accept-encoding': 'gzip, deflate, br, zstd' })
    expect(small?.headers.get('content-encoding')).toBe('br')
    expect(small?.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(small?.headers.get('vary')).toBe('accept-encoding')
    expect(await small?.text()).toBe('brotli')
    const refused = await get('/assets/index-a1.js', { 'accept-encoding': 'br;q=0, gzip' })
    expect(refused?.headers.get('content-encoding')).toBe('gzip')
  })

  test('other files are asked for again and answered 304 when known', async () => {
    const first = await get('/mark.svg')
    expect(first?.headers.get('cache-control')).toBe('no-cache')
    const again = await get('/mark.svg', { 'if-none-match': first?.headers.get('etag') ?? '' })
    expect(again?.status).toBe(304)
    expect(await again?.text()).toBe('')
  })

  test('nothing outside, nothing of the build, no compressed names', async () => {
    for (const path of [
      '/../package.json',
      '/assets/%2e%2e/%2e%2e/etc/passwd',
      '/assets/outside',
      '/.vite/manifest.json',
      '/assets/index-a1.js.br',
    ]) {
      expect(await get(path)).toBeUndefined()
    }
    expect(await get('/%E0%A4%A')).toBeUndefined()
  })
})

describe('the page', () => {
  test('answers navigations to any address of the client', async () => {
    for (const path of ['/', '/c/abc', '/anything/deep', '/index.html']) {
      const response = await get(path, html)
      expect(response?.status).toBe(200)
      expect(await response?.text()).toBe(page)
      expect(response?.headers.get('cache-control')).toBe('no-cache')
    }
  })

  test('never replaces an API route or an answer to another method', async () => {
    for (const path of ['/api/nothing', '/pg/x', '/v1/nothing', '/v1beta/x', '/healthz', '/readyz', '/api', '/v1']) {
      expect(await get(path, html)).toBeUndefined()
    }
    expect(await get('/c/abc', { accept: 'application/json' })).toBeUndefined()
    expect(await get('/c/abc', {})).toBeUndefined()
    expect(await get('/', html, 'POST')).toBeUndefined()
    expect(await (await get('/', html, 'HEAD'))?.text()).toBe('')
    // A plain curl gets the page, only at the root.
    for (const given of [{}, { accept: '*/*' }]) expect((await get('/', given))?.status).toBe(200)
    expect(await get('/', { accept: 'application/json' })).toBeUndefined()
    // A name that only begins like an API prefix belongs to the client.
    expect((await get('/apiary', html))?.status).toBe(200)
  })

  test('carries the policy with the hash of its own inline script', async () => {
    const headers = (await get('/', html))?.headers
    const policy = headers?.get('content-security-policy') ?? ''
    const hash = new Bun.CryptoHasher('sha256').update('theme()').digest('base64')
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`)
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toContain('http')
    expect(headers?.get('x-content-type-options')).toBe('nosniff')
    expect(headers?.get('referrer-policy')).toBe('no-referrer')
    expect(headers?.get('permissions-policy')).toContain('camera=()')
    expect(headers?.get('permissions-policy')).toContain('display-capture=()')
  })

  test('a client that was not built serves nothing', async () => {
    const none = await serveClient(await openFolder(join(folder, 'missing')))
    expect(await none(new Request('http://localhost/', { headers: html }), new URL('http://localhost/'))).toBeUndefined()
  })
})
