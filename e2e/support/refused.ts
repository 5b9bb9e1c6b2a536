/** What every endpoint must do with bad input: a clear 4xx in the caller's envelope, a usage row without a charge, and no side effects. */
import { expect } from 'bun:test'
import type { Gateway } from './gateway.ts'

/** One bad request. */
export interface Bad {
  name: string
  /** Sent as is if it is text. */
  body: unknown
  status: number
  code: string
  param?: string
  headers?: Record<string, string>
}

/** A header with an empty value is not sent. */
const sent = (headers: Record<string, string>) => Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))

export const post = (gateway: Gateway, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: sent({ authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...headers }),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** Every way to send a key. */
export const carriers = (key: string): { query: string; headers: Record<string, string> }[] => [
  { query: '', headers: { authorization: `bearer ${key}` } },
  { query: '', headers: { authorization: '', 'x-api-key': key } },
  { query: '', headers: { authorization: '', 'x-third-api-key': key } },
  { query: '', headers: { authorization: '', 'x-goog-api-key': key } },
  { query: `?key=${key}`, headers: { authorization: '' } },
]

/** A word that is sent and must never be returned. */
export const secret = 'canary-4711'

/** Sends the bad request and checks everything about its refusal. */
export async function expectRefused(gateway: Gateway, path: string, bad: Bad): Promise<void> {
  const before = await gateway.admin.call<{ user: { balance: string; held: string } }>('GET', '/api/session')
  const answer = await post(gateway, path, bad.body, bad.headers)
  const text = await answer.text()
  expect([bad.name, answer.status, JSON.parse(text).error.code]).toEqual([bad.name, bad.status, bad.code])
  expect(JSON.parse(text).error.param).toBe(bad.param ?? null)
  expect(text).not.toContain(secret)
  const row = await gateway.log(answer.headers.get('x-request-id') ?? '')
  expect(row).toMatchObject({ status: bad.status, cost: '0', usage: null })
  expect(await gateway.admin.call<typeof before>('GET', '/api/session')).toMatchObject({
    user: { balance: before.user.balance, held: '0' },
  })
}
