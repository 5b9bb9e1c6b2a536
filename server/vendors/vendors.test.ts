import { describe, expect, test } from 'bun:test'
import { dialects, serviceIds, vendorIds } from '#shared/ids'
import { authHeaders, schemeOf } from './auth.ts'
import { forwarded, forwardedHeaders } from './forwarded-headers.ts'
import { vendors } from './index.ts'
import { services } from './services/index.ts'
import type { AuthScheme, EndpointTarget } from './vendor.ts'

const chat: EndpointTarget = { operation: 'generate', dialect: 'chat', model: 'm', stream: false, options: {} }

describe('registry', () => {
  for (const id of vendorIds) {
    const vendor = vendors[id]
    const options = Object.fromEntries((vendor.needs ?? []).map((name) => [name, 'a-value']))
    const base = vendor.baseUrl ?? 'http://127.0.0.1:8000'
    const dialectsOf = (model: string) => vendor.speaksFor?.(model) ?? vendor.speaks

    test(`${id} carries its own id, and its address gives an endpoint for everything it serves`, () => {
      expect(vendor.id).toBe(id)
      expect(vendor.title).not.toBe('')
      expect(new Set(vendor.speaks).size).toBe(vendor.speaks.length)
      for (const operation of vendor.operations) {
        for (const dialect of vendor.speaks) {
          for (const stream of [false, true]) {
            const url = new URL(vendor.endpoint(base, { ...chat, operation, dialect, stream, options }))
            expect(url.origin).toBe(new URL(base).origin)
            expect(url.href).not.toMatch(/undefined|\/\/[^/]*\/\//)
          }
        }
      }
    })

    test(`${id} refuses what it does not speak as unsupported, never otherwise`, () => {
      for (const operation of ['generate', 'rerank', 'search', 'realtime'] as const) {
        for (const dialect of dialects) {
          if (vendor.operations.includes(operation) && vendor.speaks.includes(dialect)) continue
          try {
            vendor.endpoint(base, { ...chat, operation, dialect, options })
          } catch (error) {
            expect(error).toMatchObject({ code: 'unsupported_endpoint' })
          }
        }
      }
    })

    test(`${id} speaks at most its own dialects for any model`, () => {
      for (const model of ['m', 'claude-opus-5-5', 'gemini-3-flash']) {
        expect(dialectsOf(model).length > 0).toBe(vendor.speaks.length > 0)
        expect(vendor.speaks).toEqual(expect.arrayContaining([...dialectsOf(model)]))
      }
    })
  }

  test('only the demo answers without the network, and its address can never resolve', () => {
    expect(vendorIds.filter((id) => vendors[id].scripted)).toEqual(['demo'])
    expect(new URL(vendors.demo.baseUrl ?? '').hostname).toEndWith('.invalid')
  })

  test('a key goes over the open network only to somebody’s own machine', () => {
    for (const id of vendorIds) {
      const { baseUrl, keyless } = vendors[id]
      if (baseUrl === undefined || vendors[id].scripted) continue
      const { protocol, hostname } = new URL(baseUrl)
      expect([id, protocol === 'https:' || hostname === '127.0.0.1']).toEqual([id, true])
      expect([id, keyless]).toEqual([id, hostname === '127.0.0.1'])
    }
  })

  test('every service says where it was read', () => {
    for (const id of serviceIds) {
      expect([id, services[id].read.length > 0]).toEqual([id, true])
      for (const source of services[id].read) expect(source).toMatch(/^https:\/\/|^github |^package /)
    }
  })

  test('facts and refusals that were read of single services', () => {
    for (const id of ['zai', 'zhipu', 'zai-coding', 'zhipu-coding'] as const)
      expect(vendors[id].capabilities('glm-5')).toMatchObject({ forcedToolRefused: true, legacyMaxTokens: true })
    expect(vendors.xai.refuses?.chat).toEqual(['presence_penalty', 'frequency_penalty'])
  })

  test('one channel of Vertex holds models of two dialects', () => {
    expect(vendors.vertex.speaksFor?.('claude-opus-4-1@20250805')).toEqual(['messages'])
    expect(vendors.vertex.speaksFor?.('gemini-2.5-pro')).toEqual(['gemini'])
  })
})

describe('authHeaders', () => {
  const secret = 'sk-1'
  const cases: [AuthScheme, Record<string, string>][] = [
    ['bearer', { authorization: 'Bearer sk-1' }],
    ['x-api-key', { 'x-api-key': secret }],
    ['x-goog-api-key', { 'x-goog-api-key': secret }],
    ['api-key', { 'api-key': secret }],
    ['none', {}],
    ['sigv4', {}],
    ['google-service-account', {}],
    ['ibm-iam', {}],
    ['xi-api-key', { 'xi-api-key': secret }],
    ['token', { authorization: 'Token sk-1' }],
  ]
  test.each(cases)('%s', (scheme, headers) => {
    expect(authHeaders(scheme, secret)).toEqual(headers)
    expect(authHeaders(scheme, undefined)).toEqual({})
    expect(authHeaders(scheme, '')).toEqual({})
  })

  test('a vendor may present its key in another way in one dialect', () => {
    expect(schemeOf(vendors.deepseek, 'chat')).toBe('bearer')
    expect(schemeOf(vendors.deepseek, 'messages')).toBe('x-api-key')
    expect(schemeOf(vendors.openrouter, 'messages')).toBe('bearer')
    expect(schemeOf(vendors.anthropic, 'messages')).toBe('x-api-key')
  })
})

describe('headers of the client that pass', () => {
  const client = new Headers({
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'a,b',
    'openai-beta': 'x=1',
    authorization: 'Bearer secret',
    'x-api-key': 'secret',
    cookie: 'parley=1',
    'x-forwarded-for': '10.0.0.1',
  })
  const get = (name: string) => client.get(name)

  test('those of the dialect and nothing else', () => {
    expect(forwardedHeaders('messages', get)).toEqual({ 'anthropic-version': '2026-10-21', 'anthropic-beta': 'a,b' })
    expect(forwardedHeaders('responses', get)).toEqual({ 'openai-beta': 'x=1' })
    for (const dialect of ['chat', 'completions', 'gemini'] as const) expect(forwardedHeaders(dialect, get)).toEqual({})
  })

  test('the specification’s spelling of the version goes out as the vendor’s; the vendor’s own wins', () => {
    const both = new Headers({ 'partner-version': '2023-06-01' })
    expect(forwardedHeaders('messages', (name) => both.get(name))).toEqual({ 'anthropic-version': '2023-06-01' })
    both.set('anthropic-version', '2026-10-21')
    expect(forwardedHeaders('messages', (name) => both.get(name))).toEqual({ 'anthropic-version': '2026-10-21' })
  })

  test('a version that takes no temperature is asked for only without one', () => {
    expect(forwardedHeaders('messages', get, true)).toEqual({ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' })
    expect(forwardedHeaders('messages', () => undefined, true)).toEqual({})
  })

  test('never one that carries a credential', () => {
    const names = dialects.flatMap((dialect) => forwarded[dialect].flatMap(({ name, spellings }) => [name, ...spellings]))
    for (const name of names) expect(name).not.toMatch(/auth|key|cookie|token/)
  })
})
