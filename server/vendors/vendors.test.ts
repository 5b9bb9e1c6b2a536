import { describe, expect, test } from 'bun:test'
import { vendorIds } from '#shared/ids'
import { authHeaders } from './auth.ts'
import { vendors } from './index.ts'
import type { EndpointTarget } from './vendor.ts'

const chat: EndpointTarget = { operation: 'generate', dialect: 'chat', model: 'm', stream: false, options: {} }

describe('registry', () => {
  for (const id of vendorIds) {
    test(`${id} carries its own id, and its address gives an endpoint for everything it serves`, () => {
      const vendor = vendors[id]
      expect(vendor.id).toBe(id)
      for (const operation of vendor.operations) {
        for (const dialect of vendor.speaks) {
          const url = new URL(vendor.endpoint(vendor.baseUrl ?? 'http://127.0.0.1:8000', { ...chat, operation, dialect }))
          expect(url.pathname).toStartWith('/v1/')
        }
      }
    })
  }

  test('only the demo answers without the network, and its address can never resolve', () => {
    expect(vendorIds.filter((id) => vendors[id].scripted)).toEqual(['demo'])
    expect(new URL(vendors.demo.baseUrl ?? '').hostname).toEndWith('.invalid')
  })
})

describe('endpoint of an OpenAI-shaped vendor', () => {
  const cases: [base: string, expected: string][] = [
    ['https://api.openai.com/v1', 'https://api.openai.com/v1/chat/completions'],
    ['https://api.openai.com/v1/', 'https://api.openai.com/v1/chat/completions'],
    ['https://api.openai.com', 'https://api.openai.com/v1/chat/completions'],
    ['https://api.openai.com///', 'https://api.openai.com/v1/chat/completions'],
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1/chat/completions'],
    ['http://[::1]:8000/v1//', 'http://[::1]:8000/v1/chat/completions'],
    ['https://host.example/openai', 'https://host.example/openai/v1/chat/completions'],
    ['https://host.example/openai/v1', 'https://host.example/openai/v1/chat/completions'],
    ['https://host.example/api/paas/v4/', 'https://host.example/api/paas/v4/chat/completions'],
    ['https://host.example/v1beta/openai/', 'https://host.example/v1beta/openai/chat/completions'],
    ['https://host.example/v1?api-version=1#x', 'https://host.example/v1/chat/completions'],
    ['https://host.example/proxy-v1', 'https://host.example/proxy-v1/v1/chat/completions'],
  ]
  for (const [base, expected] of cases) {
    test(base, () => expect(vendors['openai-compatible'].endpoint(base, chat)).toBe(expected))
  }

  test('the model never reaches the path', () => {
    expect(vendors.openai.endpoint('https://api.openai.com', { ...chat, model: '../../admin?x=' })).toBe(
      'https://api.openai.com/v1/chat/completions',
    )
  })

  test('an operation or dialect that the layout lacks is refused', () => {
    const refused = expect.objectContaining({ code: 'unsupported_endpoint' })
    const ask = (target: Partial<EndpointTarget>) => {
      try {
        return vendors.openai.endpoint('https://api.openai.com', { ...chat, ...target })
      } catch (error) {
        return error
      }
    }
    expect(ask({ dialect: 'messages' })).toEqual(refused)
    expect(ask({ operation: 'rerank' })).toEqual(refused)
  })
})

describe('capabilities', () => {
  test('known by exact name only', () => {
    expect(vendors.openai.capabilities('gpt-5').maxOutputTokens).toBe(128_000)
    expect(vendors.openai.capabilities('gpt-5-of-mine')).toEqual({})
    expect(vendors.openai.capabilities('constructor')).toEqual({})
    expect(vendors.demo.capabilities('parley-demo').maxOutputTokens).toBe(4096)
  })
})

describe('authHeaders', () => {
  test('bearer, none, and no key at all', () => {
    expect(authHeaders('bearer', 'sk-1')).toEqual({ authorization: 'Bearer sk-1' })
    expect(authHeaders('bearer', undefined)).toEqual({})
    expect(authHeaders('bearer', '')).toEqual({})
    expect(authHeaders('none', 'sk-1')).toEqual({})
  })
})
