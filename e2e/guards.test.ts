/** Headers that guard browsers, and the envelope of a wrong method, on every kind of response. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type Gateway, startGateway } from './support/gateway.ts'

const targets = [
  ['GET', '/api/status'],
  ['GET', '/api/session'],
  ['GET', '/api/usage?format=csv'],
  ['GET', '/v1/models'],
  ['POST', '/v1/chat/completions'],
  ['PUT', '/v1/messages'],
  ['GET', '/openapi.json'],
  ['GET', '/docs'],
  ['GET', '/'],
  ['GET', '/healthz'],
  ['GET', '/nowhere'],
] as const

describe.each([
  ['http://parley.example', null],
  ['https://parley.example', 'max-age=31536000'],
])('with the public URL %s', (publicUrl, transport) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_PUBLIC_URL: publicUrl } })
  }, 90_000)
  afterAll(() => gateway?.close())

  test.each(targets)('%s %s', async (method, path) => {
    const { headers } = await gateway.admin.raw(method, path)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('strict-transport-security')).toBe(transport)
    if (path === '/docs') expect(headers.get('permissions-policy')).toContain('camera=()')
  })

  test('the error for a wrong method has the envelope of the address', async () => {
    const addresses = ['/v1beta/models/m:generateContent', '/v1/models/m:generateContent', '/v1/models/a/b:countTokens']
    for (const path of [...addresses, '/upload/v1beta/files', '/upload/v1/files']) {
      const answer = await gateway.admin.raw('PUT', path)
      expect([path, answer.status, await answer.json()]).toMatchObject([path, 405, { error: { code: 405, status: 'INVALID_ARGUMENT' } }])
    }
    const openai = await gateway.admin.raw('DELETE', '/v1/models/ft:gpt-4:org')
    expect(await openai.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
  })
})
