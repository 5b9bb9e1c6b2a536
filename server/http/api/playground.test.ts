import { describe, expect, test } from 'bun:test'
import { systemClock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { playgroundRoutes } from './playground.ts'

const refusal = new GatewayError('not_signed_in', 'Sign in first.')
const publicUrl = new URL('http://h')
const unasked = () => Promise.reject(new Error('small bodies are read here'))
const routes = playgroundRoutes({
  accounts: {
    admitSession() {
      if (signedOut) throw refusal
      return { user: { id: 'u' } } as never
    },
  },
  relay: () => Promise.reject(new Error('nothing may be sent')),
  captures: { begin: () => undefined },
  house: { keep: false },
  rooms: { open: () => ({ grow: () => undefined, release: () => undefined }) },
  publicUrl,
  clock: systemClock,
  heartbeatMs: 15_000,
  idleMs: 60_000,
  large: { open: unasked, preview: unasked, shown: unasked, frame: unasked, answer: unasked },
})
let signedOut = false

async function preview(dialect: string, body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) {
  const route = routes.find(({ path }) => path === '/pg/preview/:dialect')
  const url = new URL(`http://h/pg/preview/${dialect}`)
  const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const visit = { request, url, params: { dialect }, requestId: 'req_1', clientAddress: '127.0.0.1' }
  return (await route?.handle(visit))?.json()
}

/** The code and the field of what is thrown. */
const refused = (asking: Promise<unknown>) =>
  asking.then(
    () => 'answered',
    (error: unknown) => (error instanceof GatewayError ? [error.code, error.param] : error),
  )

const asked = {
  group: 'vip',
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ],
  temperature: 0.5,
  max_tokens: 100,
}

describe('the preview of a request in another dialect', () => {
  test('says the same in each, without Parley’s own field', async () => {
    expect(await preview('messages', { ...asked, stream: true })).toEqual({
      body: {
        model: 'm',
        max_tokens: 100,
        system: 'Be brief.',
        messages: [{ role: 'user', content: 'Hi' }],
        temperature: 0.5,
        stream: true,
      },
      losses: [],
    })
    expect(await preview('gemini', asked)).toEqual({
      body: {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        generationConfig: { maxOutputTokens: 100, temperature: 0.5 },
      },
      losses: [],
    })
    expect(await preview('responses', asked)).toMatchObject({ body: { model: 'm', max_output_tokens: 100, temperature: 0.5 }, losses: [] })
  })

  test('names losses, and refuses what cannot be expressed', async () => {
    expect(await preview('messages', { ...asked, seed: 7 })).toMatchObject({ losses: [{ field: 'sampling.seed', what: 'dropped' }] })
    expect(await refused(preview('responses', { ...asked, stop: ['x'] }))).toEqual(['unsupported_value', 'stop'])
  })

  test('is for signed-in people on this page only', async () => {
    signedOut = true
    expect(await refused(preview('messages', asked))).toEqual(['not_signed_in', undefined])
    signedOut = false
    const foreign = { 'content-type': 'application/json', origin: 'http://elsewhere' }
    expect(await refused(preview('messages', asked, foreign))).toEqual(['bad_origin', undefined])
    expect(await refused(preview('messages', asked, { 'content-type': 'text/plain' }))).toEqual(['unsupported_media_type', undefined])
    expect(await refused(preview('telegram', asked))).toEqual(['not_found', undefined])
    expect(await refused(preview('messages', { model: 'm' }))).toEqual(['missing_field', 'messages'])
  })
})
