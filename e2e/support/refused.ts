/** What every door must do with bad input: a clear 4xx in the caller's envelope, a row without a charge, and no harm done. */
import { expect } from 'bun:test'
import type { Gateway } from './gateway.ts'

export interface Bad {
  name: string
  /** Sent as it is when it is text. */
  body: unknown
  status: number
  code: string
  param?: string
  headers?: Record<string, string>
}

/** A header set to the empty text is not sent. */
const sent = (headers: Record<string, string>) => Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))

export const post = (gateway: Gateway, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: sent({ authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...headers }),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** Every way to present a key. */
export const carriers = (key: string): { query: string; headers: Record<string, string> }[] => [
  { query: '', headers: { authorization: `bearer ${key}` } },
  { query: '', headers: { authorization: '', 'x-api-key': key } },
  { query: '', headers: { authorization: '', 'x-third-api-key': key } },
  { query: '', headers: { authorization: '', 'x-goog-api-key': key } },
  { query: `?key=${key}`, headers: { authorization: '' } },
]

/** A word that stands in what is sent and must never come back. */
export const secret = 'canary-4711'

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
